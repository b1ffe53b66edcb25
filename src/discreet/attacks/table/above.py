"""Which groups fit what is known about somebody.

Recoding by cuts publishes at most one. Where each group has labels of its own (local recoding) there may be several,
one above the other, and somebody may fit several groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.sparse import csr_array

from discreet.attacks.table.groups import UNTOLD
from discreet.values.arrays import Int32s

BITS_AT_ONCE = 1 << 24
"""Known people times groups that are looked at together."""


def fitting(keys: Int32s, above: Sequence[csr_array], published: Int32s) -> Iterator[csr_array]:
    """For some people after the other: person x group -> 1 where the group fits all that is known about them.

    keys: known attribute x person -> column of the attribute's matrix; below 0: none lies above, UNTOLD: not known.
    above: for each attribute, distinct published value, ascending, x what may be known. published: attribute x group
    -> value.

    The groups that fit a value are the set bits of a row, so that what fits all columns is one `&` for each of them.
    """
    groups = published.shape[1]
    place = [np.unique(row, return_inverse=True)[1] for row in published]
    of_known = [matrix.T.tocsr() for matrix in above]
    step = max(1, BITS_AT_ONCE // max(1, groups))
    for start in range(0, keys.shape[1], step):
        some = keys[:, start : start + step]
        bits = np.full((some.shape[1], -(-groups // 8)), 255, np.uint8)
        for row, matrix, places in zip(some, of_known, place, strict=True):
            values, value_of = np.unique(row, return_inverse=True)
            fits = np.zeros((len(values), matrix.shape[1]), np.bool_)
            fits[values >= 0] = matrix[values[values >= 0]].toarray()
            fits[values == UNTOLD] = True
            bits &= np.packbits(fits[:, places], axis=1)[value_of]
        person, group = np.nonzero(np.unpackbits(bits, axis=1, count=groups))
        starts = np.searchsorted(person, np.arange(some.shape[1] + 1))
        yield csr_array((np.ones(len(group), np.int64), group, starts), shape=(some.shape[1], groups))
