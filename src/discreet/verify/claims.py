"""What the certificate of a table claims: what each column is, and what is promised of the partitions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from discreet.errors import InputError
from discreet.verify.certificate import (
    NAME,
    Certificate,
    mapping,
    only_keys,
    published_file,
    share,
    text,
    whole,
)
from discreet.verify.taxonomy import Parents, read_taxonomy
from discreet.verify.verdict import counted, shown, some

SUPPRESSED = "*"
ROLES = ("identifier", "quasi-identifier", "sensitive", "class", "insensitive")


@dataclass(frozen=True)
class Columns:
    """What the certificate says each column is, and the taxonomies of the quasi-identifiers."""

    roles: Mapping[str, str]
    taxonomies: Mapping[str, Parents]
    sensitive: str | None
    files: frozenset[Path]

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        return tuple(self.taxonomies)

    @property
    def counted(self) -> tuple[str, ...]:
        """The columns without which no promise can be checked."""
        return self.quasi_identifiers if self.sensitive is None else (*self.taxonomies, self.sensitive)


@dataclass(frozen=True)
class Diversity:
    """l+-diversity and its special case l-diversity: one threshold for all values, or one for each."""

    model: str
    thresholds: Fraction | Mapping[str, Fraction]

    def __str__(self) -> str:
        if isinstance(self.thresholds, Fraction):
            return f"{self.model}: no sensitive value has more than {self.thresholds} of a partition."
        shares = [f"{shown(value)} {threshold}" for value, threshold in self.thresholds.items()]
        return f"{self.model}: no sensitive value has more of a partition than its threshold ({some(shares)})."


@dataclass(frozen=True)
class Anonymity:
    """k-anonymity: no partition is small."""

    k: int
    model: str = "k-anonymity"

    def __str__(self) -> str:
        return f"{self.model}: every partition has at least {counted(self.k, 'row')}."


Promise = Diversity | Anonymity


def read_columns(certificate: Certificate) -> Columns:
    """Read the roles of the columns and the taxonomies of the quasi-identifiers."""
    roles = {}
    taxonomies = {}
    files = {certificate.data}
    for column, entry in mapping(certificate.entries["columns"], f"{NAME}: columns").items():
        where = f"{NAME}: column {column!r}"
        settings = mapping(entry, where)
        role = roles[column] = text(settings.get("role"), f"{where}: role")
        if role not in ROLES:
            raise InputError(f"{where}: the role {role!r} is unknown; known are {', '.join(ROLES)}.")
        if role == "quasi-identifier":
            only_keys(settings, {"role", "taxonomy"}, where)
            name = text(settings["taxonomy"], f"{where}: taxonomy")
            path = published_file(certificate.folder, name)
            taxonomies[column] = read_taxonomy(path, name, escaped=certificate.escaped)
            files.add(path)
        else:
            only_keys(settings, {"role"}, where)
    if not taxonomies:
        raise InputError(f"{NAME}: no column is a quasi-identifier, so there are no partitions to check.")
    sensitive = [column for column, role in roles.items() if role == "sensitive"]
    if len(sensitive) > 1:
        raise InputError(
            f"{NAME}: one column may be sensitive, not {len(sensitive)} ({some(list(map(repr, sensitive)))})."
        )
    return Columns(roles, taxonomies, sensitive[0] if sensitive else None, frozenset(files))


def read_promises(entries: Sequence[object], columns: Columns, where: str) -> list[Promise]:
    """Read promises; a model or a parameter that this version does not know is an error, never a pass."""
    return [
        _read_promise(mapping(entry, where), columns, f"{where} {place}")
        for place, entry in enumerate(entries, start=1)
    ]


def _read_promise(entry: Mapping[str, object], columns: Columns, where: str) -> Promise:
    match text(entry.get("model"), f"{where}: model"):
        case "k-anonymity":
            only_keys(entry, {"model", "k"}, where)
            return Anonymity(whole(entry["k"], f"{where}: k"))
        case "l-diversity":
            only_keys(entry, {"model", "l"}, where)
            promise = Diversity("l-diversity", Fraction(1, whole(entry["l"], f"{where}: l")))
        case "l-plus-diversity":
            only_keys(entry, {"model", "thresholds"}, where)
            promise = Diversity("l-plus-diversity", _read_thresholds(entry["thresholds"], where))
        case unknown:
            raise InputError(f"{where}: the model {unknown!r} is not one this version can verify.")
    if columns.sensitive is None:
        raise InputError(f"{where}: {promise.model} is about a sensitive column, and no column is one.")
    return promise


def _read_thresholds(entry: object, where: str) -> Fraction | Mapping[str, Fraction]:
    if not isinstance(entry, Mapping):
        return share(entry, f"{where}: thresholds")
    thresholds = mapping(entry, f"{where}: thresholds")
    if SUPPRESSED in thresholds:
        raise InputError(f"{where}: {SUPPRESSED!r} stands for a suppressed value and can have no threshold.")
    return {value: share(bound, f"{where}: threshold of {value!r}") for value, bound in thresholds.items()}
