"""Query workloads: what an analyst would count, on the original and on a release."""

from anonset.measure.workload.estimator import QueryCounts, count_queries
from anonset.measure.workload.generators import frequent_queries, generalized_queries, presence_queries, random_queries
from anonset.measure.workload.index import RecordIndex
from anonset.measure.workload.queries import Query, Workload

__all__ = [
    "Query",
    "QueryCounts",
    "RecordIndex",
    "Workload",
    "count_queries",
    "frequent_queries",
    "generalized_queries",
    "presence_queries",
    "random_queries",
]
