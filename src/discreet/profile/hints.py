"""What the name of a column says about it: a few words, English with some German and French.

A name is split into words (`dateOfBirth`, `date-of-birth`). A short hint has to be one of the words; a hint of
five letters and more may also be the beginning of one, so that `diagnos` finds diagnosis and Diagnose.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_SHORTEST_BEGINNING = 5

PERSON = (
    *("name", "firstname", "lastname", "fullname", "surname", "forename", "vorname", "nachname", "nom", "prenom"),
    *("email", "mail", "phone", "telephone", "telefon", "tel", "mobile", "fax", "handy"),
    *(
        "ssn",
        "passport",
        "iban",
        "account",
        "login",
        "username",
        "address",
        "street",
        "strasse",
        "adresse",
        "url",
        "ip",
    ),
)
"""Names a person, or leads to one, even where several rows share the value."""

NUMBERED = ("id", "uuid", "guid", "key", "record", "number", "nummer", "nr", "numero", "no", "index", "rowid")
"""Numbers the rows or the persons."""

CODE = ("zip", "zipcode", "postcode", "postal", "postleitzahl", "plz", "code", "icd", "phone", "fips", "tract")
"""Digits that are no quantity: adding them up makes no sense."""

KNOWN = (
    *("age", "alter", "birth", "birthday", "dob", "born", "geburt", "naissance", "sex", "gender", "geschlecht", "sexe"),
    *("race", "ethnic", "nation", "country", "land", "pays", "citizen", "city", "town", "region", "state", "county"),
    *("marital", "married", "relationship", "education", "school", "degree", "occupation", "job", "beruf", "work"),
    *(
        "zip",
        "zipcode",
        "postcode",
        "postal",
        "postleitzahl",
        "plz",
        "employer",
        "height",
        "weight",
        "children",
        "admitted",
        "admission",
        "discharged",
        "date",
    ),
)
"""Known to neighbours and colleagues, or in public lists."""

SECRET = (
    ("diagnos", "disease", "illness", "krankheit", "maladie", "symptom", "condition", "hiv", "icd"),
    ("treatment", "therapy", "medication", "drug", "prescription", "disability", "allergy"),
    ("religion", "faith", "konfession", "politic", "party", "partei", "vote", "union", "orientation"),
    ("crime", "offence", "offense", "conviction", "arrest", "verdict"),
    ("salary", "income", "wage", "gehalt", "einkommen", "salaire", "revenu", "debt", "credit", "loan", "balance"),
    ("grade", "score", "rating"),
)
"""What people keep to themselves, the gravest first."""

TARGET = ("class", "label", "target", "outcome")
"""What a classifier shall predict."""


def words(name: str) -> list[str]:
    """The words of a name in lower case, and the whole of it as one.

    >>> words("dateOfBirth"), words("zip_code")
    (['date', 'of', 'birth', 'dateofbirth'], ['zip', 'code', 'zipcode'])
    """
    found = [word.lower() for word in _WORDS.findall(name)]
    return [*found, "".join(found)] if len(found) > 1 else found


def hint(name: str, hints: Collection[str]) -> str | None:
    """The first of the hints that the name of a column contains."""
    found = words(name)
    for known in hints:
        for word in found:
            if word in (known, f"{known}s") or (len(known) >= _SHORTEST_BEGINNING and word.startswith(known)):
                return known
    return None
