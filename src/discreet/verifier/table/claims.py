"""What the certificate of a table claims about its columns: what each is, and how it was recoded."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from discreet.engine.published import CountedColumns
from discreet.errors import InputError
from discreet.verifier.certificate import (
    NAME,
    Certificate,
    brief,
    mapping,
    only_keys,
    text,
    whole,
)
from discreet.verifier.limits import ReleaseLimits
from discreet.verifier.table.labels import Holds, read_labels
from discreet.verifier.taxonomy import Parents, read_taxonomy
from discreet.verifier.verdict import counted, some

SUPPRESSED = "*"
_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?", re.ASCII)
RECODINGS = ("global", "local", "synthetic")
ROLES = ("identifier", "person", "quasi-identifier", "sensitive", "class", "insensitive")


@dataclass(frozen=True)
class Numbers:
    """What the values of a column that were made up are: numbers within a range, with so many decimals at most."""

    least: Decimal
    most: Decimal
    decimals: int

    def fault(self, value: str) -> str | None:
        """What is wrong with a published value."""
        if not _NUMBER.fullmatch(value):
            return "is no number as this release writes them"
        if len(value.partition(".")[2]) > self.decimals:
            return f"has more than {counted(self.decimals, 'decimal')}"
        if not self.least <= Decimal(value) <= self.most:
            return f"is not between {self.least} and {self.most}"
        return None


@dataclass(frozen=True)
class Columns:
    """What the certificate says each column is, and the taxonomies of the quasi-identifiers."""

    roles: Mapping[str, str]
    taxonomies: Mapping[str, Parents]
    sensitive: Mapping[str, Parents | None]
    """the sensitive columns, and the taxonomy of their values where there is one"""
    recoding: str
    """global: a person is in one group of equal rows; local: perhaps in several; synthetic: no row is a person's"""
    numbers: Mapping[str, Numbers] = field(default_factory=dict)
    """the columns whose values are numbers that were made up, instead of nodes of a taxonomy"""
    person: str | None = None
    """the column that tells by a pseudonym whose row it is; without one every row is somebody else's"""
    limits: ReleaseLimits = field(default_factory=ReleaseLimits)
    labels: Mapping[str, tuple[str, Holds]] = field(default_factory=dict)
    """how each quasi-identifier is labelled, and whether it may hold a value"""

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        return tuple(self.taxonomies)

    @property
    def counted(self) -> CountedColumns:
        """The columns without which no promise can be checked."""
        return CountedColumns(self.quasi_identifiers, tuple(self.sensitive), self.person)

    def members(self, number: int) -> str:
        """So many of what partitions consist of."""
        return counted(number, "row") if self.person is None else counted(number, "person", "people")


def read_columns(certificate: Certificate) -> Columns:
    """Read the roles of the columns, and the taxonomies of the quasi-identifiers and of sensitive columns."""
    entries = mapping(certificate.entries["columns"], f"{NAME}: columns")
    roles = read_roles(entries, f"{NAME}: columns")
    taxonomies: dict[str, Parents] = {}
    labels: dict[str, tuple[str, Holds]] = {}
    sensitive: dict[str, Parents | None] = {}
    numbers: dict[str, Numbers] = {}
    recoding = text(certificate.entries.get("recoding", RECODINGS[0]), f"{NAME}: recoding")
    if recoding not in RECODINGS:
        raise InputError(f"{NAME}: the recoding {recoding!r} is unknown; known are {', '.join(RECODINGS)}.")
    read: dict[str, Parents] = {}  # any number of columns may name one file
    labelled: dict[tuple[str, str], tuple[str, Holds]] = {}

    def taxonomy(name: str) -> Parents:
        if name not in read:
            read[name] = read_taxonomy(certificate, name)
        return read[name]

    for column, role in roles.items():
        where = f"{NAME}: column {column!r}"
        settings = mapping(entries[column], where)
        if recoding == "synthetic" and role in ("quasi-identifier", "sensitive") and "numbers" in settings:
            only_keys(settings, {"role", "numbers"}, where)
            numbers[column] = _read_numbers(settings["numbers"], f"{where}: numbers")
            if role == "sensitive":
                sensitive[column] = None
            else:
                taxonomies[column] = {}
        elif role == "quasi-identifier":
            only_keys(settings, {"role", "taxonomy"}, where, {"labels"})
            file = text(settings["taxonomy"], f"{where}: taxonomy")
            taxonomies[column] = taxonomy(file)
            kind = file, repr(settings.get("labels"))
            if kind not in labelled:
                labelled[kind] = read_labels(settings, taxonomies[column], recoding, where)
            labels[column] = labelled[kind]
        elif role == "sensitive":
            only_keys(settings, {"role"}, where, {"taxonomy"})
            sensitive[column] = None
            if "taxonomy" in settings:
                sensitive[column] = taxonomy(text(settings["taxonomy"], f"{where}: taxonomy"))
        else:
            only_keys(settings, {"role"}, where)
    if not taxonomies:
        raise InputError(f"{NAME}: no column is a quasi-identifier, so there are no partitions to check.")
    person = the_person(roles, NAME)
    return Columns(roles, taxonomies, sensitive, recoding, numbers, person, certificate.limits, labels)


def _read_numbers(entry: object, where: str) -> Numbers:
    settings = mapping(entry, where)
    only_keys(settings, {"least", "most", "decimals"}, where)
    least, most = (_read_end(settings[key], f"{where}: {key}") for key in ("least", "most"))
    return Numbers(least, most, whole(settings["decimals"], f"{where}: decimals", least=0))


def _read_end(entry: object, where: str) -> Decimal:
    written = text(entry, where)
    if not _NUMBER.fullmatch(written):
        raise InputError(f"{where} should be a number such as 12.5, not {brief(written)}.")
    return Decimal(written)


def read_roles(entry: object, where: str) -> dict[str, str]:
    """What each column is."""
    roles = {}
    for column, settings in mapping(entry, where).items():
        at = f"{where}: column {column!r}"
        role = roles[column] = text(mapping(settings, at).get("role"), f"{at}: role")
        if role not in ROLES:
            raise InputError(f"{at}: the role {role!r} is unknown; known are {', '.join(ROLES)}.")
    return roles


def the_person(roles: Mapping[str, str], where: str) -> str | None:
    """The one column that tells whose row each is, if there is one."""
    people = [column for column, role in roles.items() if role == "person"]
    if len(people) > 1:
        raise InputError(
            f"{where}: one column may tell the person, not {len(people)} ({some(list(map(repr, people)))})."
        )
    return people[0] if people else None
