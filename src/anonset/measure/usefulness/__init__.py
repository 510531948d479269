"""What a release is still good for: one frozen value, as JSON and in sentences."""

from anonset.measure.usefulness.counts import SizedError, errors_by_size
from anonset.measure.usefulness.prediction import Prediction, predict
from anonset.measure.usefulness.result import Usefulness, usefulness
from anonset.measure.usefulness.rules import Mined, Survival, mined

__all__ = [
    "Mined",
    "Prediction",
    "SizedError",
    "Survival",
    "Usefulness",
    "errors_by_size",
    "mined",
    "predict",
    "usefulness",
]
