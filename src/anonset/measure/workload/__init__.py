"""Query workloads: what an analyst would count, on the original and on a release."""

from anonset.measure.workload.estimator import QueryCounts, count_queries
from anonset.measure.workload.generators import frequent_queries, generalized_queries, presence_queries
from anonset.measure.workload.index import RecordIndex
from anonset.measure.workload.item_shares import ESTIMATORS, Estimator
from anonset.measure.workload.kinds import WORKLOAD_KINDS, WorkloadKind, draw_workload
from anonset.measure.workload.queries import Query, Workload
from anonset.measure.workload.record_queries import held_queries, random_queries

__all__ = [
    "ESTIMATORS",
    "WORKLOAD_KINDS",
    "Estimator",
    "Query",
    "QueryCounts",
    "RecordIndex",
    "Workload",
    "WorkloadKind",
    "count_queries",
    "draw_workload",
    "frequent_queries",
    "generalized_queries",
    "held_queries",
    "presence_queries",
    "random_queries",
]
