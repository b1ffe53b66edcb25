"""The two folders of published transactions."""

from __future__ import annotations

import csv
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import discreet
from discreet.attack.transactions import attack_transactions
from discreet.encode.released_transactions import ReleasedTransactions, read_released
from discreet.errors import PromiseBrokenError
from discreet.measure.transactions import measure_transactions
from discreet.models import ItemsetLimits, ItemsetModel, PrivacyDegree, RhoUncertainty, TransactionModel
from discreet.recode.item_recoding import ItemRecoding
from discreet.recode.transactions import UNPUBLISHED, nodes_published
from discreet.recode.writing_transactions import write_grouped, write_transactions
from discreet.releasing.files import CERTIFICATE_FORMAT, verified, write_json
from discreet.report import write_html
from discreet.report.transaction_document import transaction_document
from discreet.search import METHODS
from discreet.solving.transactions import SolvedTransactions
from discreet.taxonomy import ROOT, Taxonomy, write_taxonomy
from discreet.verify import Verdict

SUFFIXES = {"dat": "dat", "long": "csv", "basket": "csv", "parquet": "parquet", "grouped": "csv"}
TAXONOMY = "taxonomies/1-items.csv"
SENSITIVE = "sensitive.csv"


def write_publication(
    solved: SolvedTransactions, folder: Path, random: np.random.Generator, seed: int | None
) -> tuple[Verdict, dict[str, Any]]:
    """Writes steward/ and release/ into the folder; the verdict, and the result document."""
    unverified = folder / "unverified"
    verdict = _write_release(solved, unverified, random)
    result = transaction_document(solved, verdict, seed)
    release = read_back(solved, unverified)
    transactions = solved.encoding.transactions
    promise = solved.policy.promise
    rho = promise.rho if isinstance(promise, RhoUncertainty) else None
    measurements = measure_transactions(transactions, release, solved.recoded, rho=rho, random=random)
    result["utility"] = [measurement.as_dict() for measurement in measurements]
    limits, known, absent = adversary_of(promise)
    result["attack"] = attack_transactions(limits, transactions, release, known=known, absent=absent, random=random)
    steward = folder / "steward"
    steward.mkdir(mode=0o700)
    _write_recoding(solved, steward)
    write_json(steward / "result.json", result)
    write_html(result, steward / "report.html")
    unverified.rename(folder / "release")
    return verdict, result


def adversary_of(model: TransactionModel) -> tuple[ItemsetLimits | None, int | None, int]:
    """What a promise limits, and how many present and absent items the simulated adversary knows.

    None: all present ones that are not sensitive, where the promise bounds no number of them.
    """
    match model:
        case ItemsetModel():
            limits = model.itemset_limits()
            return limits, limits.present, limits.absent
        case PrivacyDegree():
            return ItemsetLimits(1, Fraction(1, model.p), sys.maxsize), None, 0
        case RhoUncertainty():
            return ItemsetLimits(1, model.rho, sys.maxsize), None, 0
        case _:
            return None, None, 0


def read_back(solved: SolvedTransactions, folder: Path) -> ReleasedTransactions:
    """The release as it stands in the folder."""
    shape = solved.shape
    return read_released(
        folder / f"data.{SUFFIXES[shape]}",
        shape,
        _separator(solved),
        solved.encoding.transactions,
        folder / SENSITIVE if shape == "grouped" else None,
    )


def _separator(solved: SolvedTransactions) -> str | None:
    return solved.encoding.separator or "," if solved.shape == "basket" else None


def _write_release(solved: SolvedTransactions, folder: Path, random: np.random.Generator) -> Verdict:
    """Writes the data, the taxonomy and the certificate, and has them verified."""
    (folder / "taxonomies").mkdir(parents=True)
    transactions, shape = solved.encoding.transactions, solved.shape
    data = folder / f"data.{SUFFIXES[shape]}"
    certificate: dict[str, Any] = {
        "format": CERTIFICATE_FORMAT,
        "kind": "transactions",
        "data": data.name,
        "shape": shape,
    }
    if shape == "grouped":
        write_grouped(data, folder / SENSITIVE, transactions, solved.recoded, random)
        certificate["sensitive_data"] = SENSITIVE
    else:
        write_transactions(data, shape, _separator(solved), transactions, solved.recoded, random)
    if shape == "basket":
        certificate["separator"] = _separator(solved)
    write_taxonomy(public_taxonomy(solved), folder / TAXONOMY)
    promise = [solved.policy.promise.promise()]
    certificate |= {
        "taxonomy": TAXONOMY,
        "sensitive": list(transactions.sensitive_items),
        "promise": promise,
        "method": _method(solved),
    }
    write_json(folder / "certificate.json", certificate)
    verdict = verified(folder, promise, promise, searched=solved.result is not None)
    if verdict.rows != transactions.transactions:
        raise PromiseBrokenError(
            f"The release has {verdict.rows} transactions where {transactions.transactions} were meant to stay, so "
            "nothing was published. This is a defect of discreet; please report it."
        )
    write_json(folder / "certificate.json", {**certificate, "verdict": {"holds": True}})
    return verdict


def _method(solved: SolvedTransactions) -> dict[str, Any]:
    if solved.result is None:
        return {"name": "recoding", "version": discreet.__version__}
    search = solved.policy.search
    return {"name": search.method, "version": discreet.__version__, "loss": search.loss, **search.options()}


def public_taxonomy(solved: SolvedTransactions) -> Taxonomy:
    """The taxonomy that a reader of the release needs.

    One made from the data would name items that are not published: of it only what is published and what lies above
    is written. Where knowledge of absent items is limited, a reader has to count the leaves under a published node;
    then they are there under numbers instead of names.
    """
    taxonomy = solved.encoding.transactions.taxonomy
    if not solved.encoding.from_data:
        return taxonomy
    shown = np.flatnonzero(nodes_published(solved.recoded, taxonomy))
    model = solved.policy.promise
    counts_leaves = isinstance(model, ItemsetModel) and model.itemset_limits().absent > 0
    taken = {*taxonomy.labels, *solved.encoding.transactions.sensitive_items}
    paths: list[tuple[str, ...]] = []
    for place, node in enumerate(shown.tolist()):
        path = taxonomy.path(node)
        if place + 1 < len(shown) and shown[place + 1] < taxonomy.end[node]:
            continue  # above another published node, as local generalization has it: it stands on that one's path
        if taxonomy.is_leaf(node) or not counts_leaves:
            paths.append(path)
        else:
            paths += [(_unnamed(path[0], number, taken), *path) for number in range(taxonomy.leaf_count(node))]
    return Taxonomy.from_paths("items", paths or [(ROOT,)])


def _unnamed(label: str, number: int, taken: set[str]) -> str:
    """A label for an item that is not named."""
    name = f"{label}/{number + 1}"
    while name in taken:
        name += "'"
    return name


def _write_recoding(solved: SolvedTransactions, steward: Path) -> None:
    """As what each item is published, where that is the same in all transactions: for new data and for reading."""
    if not METHODS[solved.policy.search.method].alike:
        return
    transactions = solved.encoding.transactions
    taxonomy = transactions.taxonomy
    node_of_leaf = np.full(len(taxonomy.leaf_nodes), UNPUBLISHED, np.int32)
    if solved.cut is not None:
        node_of_leaf = solved.cut.value_of_leaf()
    else:
        _, published = solved.recoded.published_node(transactions)
        node_of_leaf[transactions.sets.take(solved.recoded.sources).items] = published
    labels = [taxonomy.labels[node] for node in sorted(set(node_of_leaf.tolist()) - {UNPUBLISHED})]
    suppresses = solved.policy.search.method == "greedy-suppression"
    recoding = solved.applied or ItemRecoding(tuple(labels), "suppress" if suppresses else "refuse")
    write_json(steward / "recoding.json", recoding.as_dict())
    with (steward / "mapping.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("item", "published"))
        for leaf in np.flatnonzero(transactions.leaf_occurrences).tolist():
            node = int(node_of_leaf[leaf])
            writer.writerow((taxonomy.leaf_labels[leaf], "" if node == UNPUBLISHED else taxonomy.labels[node]))
