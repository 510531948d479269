"""The constants of `rt-search` that were tuned, each with what it means and the measurement that chose it.

"Error" is the mean relative error of queries of another seed than the search draws, for one value and one item, on 26,735
patients of INFORMS 2005 (five quasi columns, k = 5, m = 2); docs/algorithms/rt-search.md has the whole table.
Constants that only limit memory or share work among threads are beside the code that they limit.
"""

# Budget
SHARE_OF_TIME_FOR_STARTS = 0.4

# Aligned records: classes of k records that hold like items
PRICES_OF_NCP = tuple(2**p for p in range(13))
FIRST_PRICE = 8
LENGTH_PENALTY = 1.5
RECORDS_COMPARED = 2048

# Clusters by relational algorithms
FORMING = ("mondrian", "peel", "cluster")
FIRST_SIZE = 3
NEXT_TO_BEST = 1.4
STATES_OF_A_MERGE = 6
GRAY_GROUP = 10_000

# Labels of a cluster
CUTS_TRIED = 400

# Rounds of local search
NEIGHBOUR_RANKS = 4
WORTH_OF_NCP_WON_BACK = 0.5
BLANK_SHARE = 0.5
