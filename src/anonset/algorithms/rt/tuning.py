"""The constants of `rt-search` that were tuned, each with what it means and the measurement that chose it.

"Error" is the mean relative error of queries for one value and one item, drawn with another seed than those of the search:
lower is better. Single constants were varied on 6,000 patients of INFORMS 2005 with k = 5 and m = 2 (`python
bench/table_rt_tuning.py`, bench/results/rt_tuning.md); steps of the search were added one by one on all 26,735 of them
(docs/algorithms/rt-search.md). Constants that only limit memory, or share work among threads, are in the modules that use
them.
"""

# The share of the time in which starts are tried before rounds begin. Not measured on its own; rounds get the larger share
# since sixteen of them took the error of clusters by `lift` from .388 to .347.
SHARE_OF_TIME_FOR_STARTS = 0.4

# Aligned classes. What an NCP of 1 costs, in shared items: PRICES_OF_NCP[FIRST_PRICE], 256, is tried first, then its neighbours
# while that helps. Error of the first start alone: .168 at 16, .128 at 64, .109 at 256, .107 at 1,024, .127 at 4,096.
PRICES_OF_NCP = tuple(2**p for p in range(13))
FIRST_PRICE = 8

# How many shared items a difference of one in length outweighs, since all records of a class show as many labels. Error .112
# without it, .109 at 1.5, .123 at 3.
LENGTH_PENALTY = 1.5

# Where labels stay inside the branches of the item hierarchy, an item of a branch that not all records of a class have is lost:
# sharing a branch counts as much as sharing this many items, and lengths matter less. Value of the aim and share of lost items
# on the sample of 2,000 patients at a price of 16, with weight 1, 2 and 3 of branches: .573 and .46, .550 and .27, .545 and .19
# (penalty .75); with penalty .2, .4 and .75 at weight 3: .534, .531 and .545. On 6,000 patients of INFORMS: .642 and .53, .595
# and .41, .588 and .35; .561, .574 and .588. A fourth gains nothing more.
WEIGHT_OF_BRANCHES = 3
LENGTH_PENALTY_IN_BRANCHES = 0.2

# The price that is tried first there: the best were 8 to 16 on both.
FIRST_PRICE_IN_BRANCHES = 4

# Records among which a class looks for its members, at least; up to twice as many, and the time grows with their product. Error
# .152 for 512, .123 for 1,024, .109 for 2,048.
RECORDS_COMPARED = 2048

# The relational algorithms that form clusters, the best first: clusters of 40 by `mondrian` have an NCP of .101, by `cluster`
# .142, so clusters of `mondrian` can be twice as large.
FORMING = ("mondrian", "peel", "cluster")

# The size of clusters that is tried first: k * 2^FIRST_SIZE records, then larger and smaller ones while that helps. Error and
# NCP of this start alone: .486 and .09 for 2k, .456 and .13 for 4k, .416 and .18 for 8k, .379 and .24 for 16k, .382 and .32 for
# 32k. 8k still meets a bound of .2 on NCP; without a bound the search goes on to 16k.
FIRST_SIZE = 3

# After the best size, or price, out of powers of 2 those next to it are tried, half a power away.
NEXT_TO_BEST = 1.4

# States of a merge without a bound that are tried: a first, rough look at the trade-off between NCP and items. Not measured.
STATES_OF_A_MERGE = 6

# Records of a group of t-first: the default of its parameter `partition`.
GRAY_GROUP = 10_000

# Cuts of labels that are tried in a cluster. Error .469 without cuts, .416 for 100 and for 400: it binds in large clusters
# only, where it limits the time.
CUTS_TRIED = 400

# A round merges each cluster with its nearest neighbour, a later one with the next nearest, up to this rank. Error after
# sixteen rounds: .379 for 1, .364 for 4, .357 for 8, which needs twice as many rounds for a whole turn.
NEIGHBOUR_RANKS = 4

# The share of what NCP is worth elsewhere that a cut may cost in the objective, where a bound on NCP refuses merges. Error
# after sixteen rounds within a bound of .1: .433 without it, .414 at .5, .410 at 1.
WORTH_OF_NCP_WON_BACK = 0.5

# The share of the records in which a column may say "anything". Without the limit, queries for one value give up a whole column
# of four to gain in the others (docs/algorithms/rt-search.md).
BLANK_SHARE = 0.5
