"""What the name of a column says about it: a few words, English with some German and French.

A name is split into words (`dateOfBirth`, `date-of-birth`). A short hint has to be one of the words; a hint of
five letters and more may also be the beginning of one, so that `diagnos` finds diagnosis and Diagnose.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_SHORTEST_BEGINNING = 5

_NAMES = (
    *("name", "firstname", "lastname", "fullname", "surname", "forename", "vorname", "nachname", "nom", "prenom"),
    *("nickname", "alias", "initials"),
)
_SHARED = (
    *("phone", "telephone", "telefon", "tel", "mobile", "fax", "handy"),
    *("address", "street", "strasse", "adresse", "url", "ip"),
)
_OWN = (
    *("email", "mail", "login", "username", "account", "iban", "ssn", "socialsecurity", "passport", "nationalid"),
    *("nationalnumber", "nationalinsurance", "citizenid", "taxid", "mrn", "pid", "ahv", "sozialversicherung"),
    *("versichertennummer", "steuernummer", "ausweis", "personnummer", "driverlicense", "driverlicence"),
    *("licenseplate", "licenceplate", "numberplate", "kennzeichen", "pseudonym"),
)
_PEOPLE = (
    *("patient", "client", "person", "customer", "member", "employee", "student", "pupil", "user", "subject"),
    *("participant", "respondent", "proband", "applicant", "candidate", "tenant", "guest", "passenger", "donor"),
    *("holder", "beneficiary", "victim", "suspect", "inmate", "prisoner", "resident", "voter", "personne"),
    *("kunde", "mitarbeiter", "mitglied", "schueler", "schüler", "mieter", "versicherte"),
    *("eleve", "élève", "etudiant", "étudiant", "employé", "employe", "membre"),
)
"""Whom a row may be about: the name of a column, alone or followed by a word for a number."""

_OTHERS = (
    *("owner", "witness", "teacher", "doctor", "physician", "nurse", "driver", "worker", "contact"),
    *("mother", "father", "spouse", "guardian", "arzt", "lehrer"),
)
"""Persons too, one of whom may well be in many rows."""

NUMBERED = ("id", "uuid", "guid", "key", "record", "number", "nummer", "nr", "numero", "no", "index", "rowid")
"""Numbers the rows or the persons."""

_ONLY_A_NUMBER = ("id", "uuid", "guid", "record", "rowid")
_AFTER_PEOPLE = (*NUMBERED, *_NAMES, "code", "ref", "reference", "num", "nbr", "hash", "token", "identifier")
_ENDING = rf"(?:innen|nen|in|en|n|e|r)?(?P<plural>s)?(?P<number>{'|'.join(_AFTER_PEOPLE)})?"
_ASPECT = {"type", "kind", "status", "count", "length", "category", "segment", "since", "level", "domain"}
"""With one of these a name says something about the person, and not who they are."""

_PLACE = (
    *("country", "nation", "land", "pays", "city", "town", "village", "municipality", "region", "state", "county"),
    *("district", "province", "canton", "zip", "postcode", "postal", "postleitzahl", "plz"),
)
_THING = (
    *(*_PLACE, "school", "faculty", "degree", "education", "occupation", "profession", "job", "beruf", "work"),
    *("employer", "department", "industry", "position"),
)
"""Has a name that is no person's."""

CODE = ("zip", "zipcode", "postcode", "postal", "postleitzahl", "plz", "code", "icd", "phone", "fips", "tract")
"""Digits that are no quantity: adding them up makes no sense."""

KNOWN = (
    *("age", "alter", "birth", "birthday", "dob", "born", "geburt", "naissance", "sex", "gender", "geschlecht", "sexe"),
    *("race", "ethnic", "nation", "country", "land", "pays", "citizen", "city", "town", "region", "state", "county"),
    *("marital", "married", "relationship", "education", "school", "degree", "occupation", "job", "beruf", "work"),
    *(
        "district",
        "province",
        "canton",
        "municipality",
        "village",
        "profession",
        "department",
        "industry",
        "faculty",
        "position",
        "language",
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
"""What a classifier is to predict."""

_GIVEN_NAMES = """
james john robert michael david william richard joseph thomas charles daniel matthew anthony andrew paul joshua
kenneth kevin brian george edward ronald timothy jason jeffrey ryan jacob nicholas eric jonathan stephen larry
scott brandon benjamin samuel gregory alexander patrick jack dennis jerry tyler aaron nathan peter bob tom tim jim
mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra margaret ashley
kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca laura sharon cynthia kathleen amy
angela shirley anna anne ann brenda emma nicole helen samantha katherine christine rachel carolyn janet maria
hans klaus jürgen wolfgang stefan andreas markus matthias martin michaela sabine ursula monika petra
claudia katharina heike birgit lukas jonas felix leon finn lena lea julia johanna greta urs reto ruedi regula
jean pierre michel philippe alain luc louis henri nicolas françois marie nathalie isabelle sylvie camille chloé
giovanni giuseppe antonio marco luca matteo lorenzo francesco paolo carlo carla chiara giulia francesca sofia sara
jose josé juan carlos luis miguel manuel pedro javier fernando carmen ana isabel lucia pilar elena pablo
ivan dmitri sergei vladimir olga natalia tatiana irina katarzyna piotr krzysztof dragan goran jelena
mohammed muhammad mohamed ahmed ali hassan hussein omar fatima aisha mehmet mustafa elif ayse emre amara
rahul priya amit sunita raj anil wei yan ming hiroshi yuki kenji minh nguyen
"""
GIVEN_NAMES = frozenset(_GIVEN_NAMES.split())
"""Frequent given names that mean little else, each in one spelling."""


def words(name: str) -> list[str]:
    """The words of a name in lower case, and the whole of it as one.

    >>> words("dateOfBirth"), words("zip_code")
    (['date', 'of', 'birth', 'dateofbirth'], ['zip', 'code', 'zipcode'])
    """
    found = _plain(name)
    return [*found, "".join(found)] if len(found) > 1 else found


def hint(name: str, hints: Collection[str]) -> str | None:
    """The first of the hints that the name of a column contains; two words may make up one."""
    found = words(name)
    found += [first + second for first, second in pairwise(found[:-1])]
    for known in hints:
        for word in found:
            if word in (known, f"{known}s") or (len(known) >= _SHORTEST_BEGINNING and word.startswith(known)):
                return known
    return None


def is_secret(name: str) -> bool:
    return any(hint(name, hints) for hints in SECRET)


def own(name: str, *, numbers: bool = False) -> str | None:
    """The word for what each person has of their own, such as a number or an e-mail address, if the name has one.

    numbers: are its values numbers? Then a plural, as in `employees`, counts them.

    >>> own("patient_id"), own("Kundennummer"), own("patient age"), own("members", numbers=True)
    ('patient', 'kunde', None, None)
    """
    if not _ASPECT.isdisjoint(_plain(name)):
        return None
    return hint(name, _OWN) or _one_of(_PEOPLE, name, numbers)


def person(name: str, *, numbers: bool = False) -> str | None:
    """The word by which the name of a column promises persons, or what leads to one.

    >>> person("full_name"), person("country_name"), person("birth name"), person("doctor")
    ('name', None, 'name', 'doctor')
    """
    if not _ASPECT.isdisjoint(_plain(name)):
        return None
    if found := own(name, numbers=numbers) or _one_of(_OTHERS, name, numbers):
        return found
    found = hint(name, (*_NAMES, *_SHARED))
    if found == "name" and (hint(name, _THING) or is_secret(name)):
        return None
    if found == "address" and hint(name, _PLACE):
        return None
    return found


def only_a_number(name: str) -> bool:
    """Whether the whole name is a word for what numbers persons or rows."""
    return _plain(name) in [[word] for word in _ONLY_A_NUMBER]


def _one_of(people: Collection[str], name: str, numbers: bool) -> str | None:
    """The last word apart from numbers and names: patient_id is a patient's, patient_age is not a patient."""
    found = [word for word in _plain(name) if not word.isdigit()]
    end = len(found)
    while end > 1 and found[end - 1] in _AFTER_PEOPLE:
        end -= 1
    match = re.fullmatch(rf"({'|'.join(people)}){_ENDING}", found[end - 1]) if found else None
    if match is None:
        return None
    numbered = end < len(found) or match["number"] is not None
    if numbers and not numbered and (match["plural"] or "of" in found):
        return None
    if not numbered and (hint(name, KNOWN) or is_secret(name)):
        return None
    return match[1]


def _plain(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]
