"""The information losses, one a file; a new one is one line in LOSSES."""

from discreet.losses.cm import Classification
from discreet.losses.dm import Discernibility
from discreet.losses.item_loss import ItemLoss, prices, release_cost
from discreet.losses.lm import LossMetric
from discreet.losses.ncp import NormalizedCertaintyPenalty
from discreet.losses.table_loss import TableLoss, generalization_cost

LOSSES: dict[str, TableLoss] = {loss.name: loss for loss in (LossMetric(), Discernibility(), Classification())}
ITEM_LOSSES: dict[str, ItemLoss] = {loss.name: loss for loss in (LossMetric(), NormalizedCertaintyPenalty())}
"""Losses on transactions."""

__all__ = [
    "ITEM_LOSSES",
    "LOSSES",
    "Classification",
    "Discernibility",
    "ItemLoss",
    "LossMetric",
    "NormalizedCertaintyPenalty",
    "TableLoss",
    "generalization_cost",
    "prices",
    "release_cost",
]
