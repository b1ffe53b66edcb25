"""The oracle's problems in discreet's terms. Unlike the oracle itself, this imports what it translates to."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from discreet.encode.table import EncodedTable
from discreet.models.cones import Cone, ConeDemand
from discreet.models.partition_limits import PartitionLimits
from discreet.search.table.problem import TableProblem
from discreet.taxonomy import Taxonomy
from oracle.tables import Problem
from oracle.tables import Taxonomy as OracleTaxonomy


def paths(tree: OracleTaxonomy, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if isinstance(tree, str):
        return [(tree, *above)]
    label, children = tree
    return [path for child in children for path in paths(child, (label, *above))]


def encode(problem: Problem, cones: tuple[Cone, ...] = ()) -> TableProblem:
    """cones: what is promised besides, in discreet's terms."""
    taxonomies = tuple(
        Taxonomy.from_paths(f"attribute {index}", paths(tree)).collapsed()
        for index, tree in enumerate(problem.taxonomies)
    )
    values = tuple(sorted({record[1] for record in problem.records}))
    classes = tuple(sorted({record[2] or "" for record in problem.records}))
    table = EncodedTable(
        attributes=tuple(taxonomy.name for taxonomy in taxonomies),
        taxonomies=taxonomies,
        leaves=np.array(
            [
                [taxonomy.leaf_labels.index(record[0][index]) for record in problem.records]
                for index, taxonomy in enumerate(taxonomies)
            ],
            np.int32,
        ),
        sensitive=np.array([values.index(record[1]) for record in problem.records], np.int32),
        classes=np.array([classes.index(record[2] or "") for record in problem.records], np.int32),
        counts=np.ones(len(problem.records), np.int64),
        sensitive_values=values,
        class_values=classes,
        forbidden={taxonomy.name: problem.too_coarse.intersection(taxonomy.labels) for taxonomy in taxonomies},
    )
    limits = PartitionLimits(tuple(problem.thresholds[value] for value in values), problem.k)
    rows = len(problem.records)
    most = None if problem.most_suppressed is None else Fraction(problem.most_suppressed, rows)
    return TableProblem(
        table,
        ConeDemand(cones, limits) if cones else limits,
        problem.scheme,
        problem.loss,
        problem.guard_stars,
        problem.weights,
        max_suppressed=most,
    )


def uncollapsed(problem: Problem, cones: tuple[Cone, ...] = ()) -> TableProblem:
    """The problem with its taxonomies as given, since levels count one-child chains."""
    encoded = encode(problem, cones)
    trees = tuple(
        Taxonomy.from_paths(taxonomy.name, paths(tree))
        for taxonomy, tree in zip(encoded.table.taxonomies, problem.taxonomies, strict=True)
    )
    leaves = np.stack(
        [
            np.array([new.leaf_labels.index(old.leaf_labels[leaf]) for leaf in row], np.int32)
            for new, old, row in zip(trees, encoded.table.taxonomies, encoded.table.leaves, strict=True)
        ]
    )
    table: EncodedTable = replace(encoded.table, taxonomies=trees, leaves=leaves)
    return replace(encoded, table=table)
