"""What the certificate of a table claims about its columns: what each is, and how it was recoded."""

from collections.abc import Mapping
from dataclasses import dataclass

from discreet.errors import InputError
from discreet.verifier.certificate import (
    NAME,
    Certificate,
    mapping,
    only_keys,
    text,
)
from discreet.verifier.taxonomy import Parents, read_taxonomy
from discreet.verifier.verdict import some

SUPPRESSED = "*"
RECODINGS = ("global", "local", "synthetic")
ROLES = ("identifier", "quasi-identifier", "sensitive", "class", "insensitive")


@dataclass(frozen=True)
class Columns:
    """What the certificate says each column is, and the taxonomies of the quasi-identifiers."""

    roles: Mapping[str, str]
    taxonomies: Mapping[str, Parents]
    sensitive: str | None
    recoding: str
    """global: a person is in one group of equal rows; local: perhaps in several; synthetic: no row is a person's"""

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        return tuple(self.taxonomies)

    @property
    def counted(self) -> tuple[str, ...]:
        """The columns without which no promise can be checked."""
        return self.quasi_identifiers if self.sensitive is None else (*self.taxonomies, self.sensitive)


def read_columns(certificate: Certificate) -> Columns:
    """Read the roles of the columns and the taxonomies of the quasi-identifiers."""
    entries = mapping(certificate.entries["columns"], f"{NAME}: columns")
    roles = read_roles(entries, f"{NAME}: columns")
    taxonomies = {}
    read: dict[str, Parents] = {}  # any number of columns may name one file
    for column, role in roles.items():
        where = f"{NAME}: column {column!r}"
        settings = mapping(entries[column], where)
        if role == "quasi-identifier":
            only_keys(settings, {"role", "taxonomy"}, where)
            name = text(settings["taxonomy"], f"{where}: taxonomy")
            if name not in read:
                read[name] = read_taxonomy(certificate, name)
            taxonomies[column] = read[name]
        else:
            only_keys(settings, {"role"}, where)
    if not taxonomies:
        raise InputError(f"{NAME}: no column is a quasi-identifier, so there are no partitions to check.")
    recoding = text(certificate.entries.get("recoding", RECODINGS[0]), f"{NAME}: recoding")
    if recoding not in RECODINGS:
        raise InputError(f"{NAME}: the recoding {recoding!r} is unknown; known are {', '.join(RECODINGS)}.")
    return Columns(roles, taxonomies, sensitive_of(roles, NAME), recoding)


def read_roles(entry: object, where: str) -> dict[str, str]:
    """What each column is."""
    roles = {}
    for column, settings in mapping(entry, where).items():
        at = f"{where}: column {column!r}"
        role = roles[column] = text(mapping(settings, at).get("role"), f"{at}: role")
        if role not in ROLES:
            raise InputError(f"{at}: the role {role!r} is unknown; known are {', '.join(ROLES)}.")
    return roles


def sensitive_of(roles: Mapping[str, str], where: str) -> str | None:
    """The one sensitive column, if there is one."""
    sensitive = [column for column, role in roles.items() if role == "sensitive"]
    if len(sensitive) > 1:
        raise InputError(
            f"{where}: one column may be sensitive, not {len(sensitive)} ({some(list(map(repr, sensitive)))})."
        )
    return sensitive[0] if sensitive else None
