"""The information losses, one a file; a new one is one line in LOSSES."""

from discreet.losses.cm import Classification
from discreet.losses.dm import Discernibility
from discreet.losses.lm import LossMetric
from discreet.losses.table_loss import TableLoss, generalization_cost

LOSSES: dict[str, TableLoss] = {loss.name: loss for loss in (LossMetric(), Discernibility(), Classification())}

__all__ = [
    "LOSSES",
    "Classification",
    "Discernibility",
    "LossMetric",
    "TableLoss",
    "generalization_cost",
]
