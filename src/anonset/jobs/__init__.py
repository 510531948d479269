"""Work in other processes: progress, results, limits, cancelling; studies, reproductions and servers share it."""

from anonset.jobs.memory import forget_peak, peak_mb
from anonset.jobs.pool import Ended, Event, Outcome, Pool, Progressed, Said

__all__ = ["Ended", "Event", "Outcome", "Pool", "Progressed", "Said", "forget_peak", "peak_mb"]
