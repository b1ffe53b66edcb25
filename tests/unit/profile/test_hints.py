from __future__ import annotations

import doctest

import pytest

from discreet.profile import hints
from discreet.profile.hints import KNOWN, hint, only_a_number, own, person


def test_the_examples() -> None:
    failed, tried = doctest.testmod(hints)
    assert tried > 0 and failed == 0


def test_words_of_a_name() -> None:
    assert hint("dateOfBirth", KNOWN) == "birth"
    assert person("E-Mail") == "email"
    assert hint("package", KNOWN) is None


@pytest.mark.parametrize(
    "name",
    [
        *("patient", "Patient_ID", "patientId", "PATIENTNR", "Kundennummer", "client code", "employee no", "person"),
        *("student_name", "party_member_name", "job applicant id", "user", "national_id", "ssn", "customer email"),
        *("tax id", "MRN", "patients"),
    ],
)
def test_what_each_person_has_for_itself(name: str) -> None:
    assert own(name)
    assert person(name)


@pytest.mark.parametrize("name", ["full_name", "birth name", "street", "work_address", "phone", "doctor", "Vorname"])
def test_what_leads_to_a_person_and_may_be_shared(name: str) -> None:
    assert person(name)
    assert own(name) is None


@pytest.mark.parametrize(
    "name",
    [
        *("patient_age", "age of patient", "customer_type", "member since", "account status", "employee_count"),
        *("country_name", "drug_name", "department name", "address_city", "employer", "ward_id", "inpatient"),
    ],
)
def test_what_only_tells_something_about_a_person(name: str) -> None:
    assert person(name) is None


def test_a_plural_of_numbers_counts() -> None:
    assert person("employees", numbers=True) is None
    assert person("number of patients", numbers=True) is None
    assert person("patient", numbers=True)


def test_only_a_number() -> None:
    assert only_a_number("ID") and only_a_number("record")
    assert not only_a_number("ward_id")
