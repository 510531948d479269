"""Work in other processes: progress, results, limits, cancelling; studies, reproductions and servers share it."""

from anonset.jobs.pool import Ended, Event, Outcome, Pool, Progressed, Said
from anonset.jobs.worker import forget_peak, peak_mb

__all__ = ["Ended", "Event", "Outcome", "Pool", "Progressed", "Said", "forget_peak", "peak_mb"]
