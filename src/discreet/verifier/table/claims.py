"""What the certificate of a table claims about its columns: what each is, and how it was recoded."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from discreet.engine.published import CountedColumns
from discreet.errors import InputError
from discreet.verifier.certificate import (
    NAME,
    Certificate,
    mapping,
    only_keys,
    text,
)
from discreet.verifier.limits import ReleaseLimits
from discreet.verifier.table.labels import Holds, read_labels
from discreet.verifier.taxonomy import Parents, read_taxonomy
from discreet.verifier.verdict import counted, some

SUPPRESSED = "*"
RECODINGS = ("global", "local", "synthetic")
ROLES = ("identifier", "person", "quasi-identifier", "sensitive", "class", "insensitive")


@dataclass(frozen=True)
class Columns:
    """What the certificate says each column is, and the taxonomies of the quasi-identifiers."""

    roles: Mapping[str, str]
    taxonomies: Mapping[str, Parents]
    sensitive: Mapping[str, Parents | None]
    """the sensitive columns, and the taxonomy of their values where there is one"""
    recoding: str
    """global: a person is in one group of equal rows; local: perhaps in several; synthetic: no row is a person's"""
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
    taxonomies = {}
    labels: dict[str, tuple[str, Holds]] = {}
    sensitive: dict[str, Parents | None] = {}
    read: dict[str, Parents] = {}  # any number of columns may name one file

    def taxonomy(name: str) -> Parents:
        if name not in read:
            read[name] = read_taxonomy(certificate, name)
        return read[name]

    recoding = text(certificate.entries.get("recoding", RECODINGS[0]), f"{NAME}: recoding")
    if recoding not in RECODINGS:
        raise InputError(f"{NAME}: the recoding {recoding!r} is unknown; known are {', '.join(RECODINGS)}.")
    for column, role in roles.items():
        where = f"{NAME}: column {column!r}"
        settings = mapping(entries[column], where)
        if role == "quasi-identifier":
            only_keys(settings, {"role", "taxonomy"}, where, {"labels"})
            taxonomies[column] = taxonomy(text(settings["taxonomy"], f"{where}: taxonomy"))
            labels[column] = read_labels(settings, taxonomies[column], recoding, where)
        elif role == "sensitive":
            only_keys(settings, {"role"}, where, {"taxonomy"})
            sensitive[column] = None
            if "taxonomy" in settings:
                sensitive[column] = taxonomy(text(settings["taxonomy"], f"{where}: taxonomy"))
        else:
            only_keys(settings, {"role"}, where)
    if not taxonomies:
        raise InputError(f"{NAME}: no column is a quasi-identifier, so there are no partitions to check.")
    return Columns(roles, taxonomies, sensitive, recoding, the_person(roles, NAME), certificate.limits, labels)


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
