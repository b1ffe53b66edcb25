"""Makes the patients of `discreet demo`: an invented hospital, the same file every time.

    python examples/make_demo_patients.py src/discreet/demo/table/patients.csv

Nobody in it exists. What matters is that it looks like the real thing: diagnoses go with age and sex, a few
postcodes hold most people, and almost every patient is the only one of their kind.
"""

from __future__ import annotations

import csv
import io
import sys
from datetime import date, timedelta
from pathlib import Path
from random import Random

ROWS = 3000
SEED = 20_260_101
HEADER = (
    "record",
    "age",
    "sex",
    "postcode",
    "admitted",
    "country of birth",
    "diagnosis",
    "ward",
    "discharged home",
)

DIAGNOSES = {
    # diagnosis: weights up to 18, 40, 65 and beyond, and how much more often in women
    "Fracture": (30, 14, 12, 16, 1.0),
    "Influenza": (24, 14, 12, 14, 1.0),
    "Asthma": (24, 12, 8, 5, 1.1),
    "Diabetes": (6, 9, 16, 15, 0.9),
    "Heart disease": (2, 5, 18, 28, 0.7),
    "Depression": (8, 22, 14, 7, 1.6),
    "Cancer": (3, 7, 16, 14, 1.0),
    "HIV": (0.5, 6, 4, 1, 0.4),
}
DANGER = {"Heart disease": 0.25, "Cancer": 0.3, "HIV": 0.15, "Diabetes": 0.1}
POSTCODES = {"80": ("801", "802", "804", "805"), "84": ("840", "841", "845"), "90": ("900", "901")}
AREA_WEIGHTS = {"80": 6, "84": 3, "90": 1}
COUNTRIES = {
    "Switzerland": 60,
    "Germany": 9,
    "Austria": 3,
    "France": 4,
    "Italy": 6,
    "Portugal": 6,
    "Spain": 3,
    "Kosovo": 4,
    "Serbia": 3,
    "Turkey": 3,
    "Eritrea": 2,
    "Nigeria": 1,
    "India": 1,
    "Sri Lanka": 2,
    "Brazil": 2,
    "United States": 1,
}
WARDS = ("North", "East", "South", "West")
FIRST_DAY, DAYS = date(2023, 1, 1), 730


def patients_csv() -> str:
    """The whole file."""
    random = Random(SEED)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for number in range(1, ROWS + 1):
        writer.writerow(_patient(number, random))
    return text.getvalue()


def _patient(number: int, random: Random) -> tuple[object, ...]:
    age = min(99, max(0, int(random.choice((random.gauss(35, 18), random.gauss(66, 14))))))
    sex = random.choice(("female", "male"))
    band = sum(age >= bound for bound in (18, 40, 65))
    weights = [shares[band] * (shares[4] if sex == "female" else 1) for shares in DIAGNOSES.values()]
    diagnosis = random.choices(list(DIAGNOSES), weights)[0]
    area = random.choices(list(POSTCODES), list(AREA_WEIGHTS.values()))[0]
    postcode = f"{random.choice(POSTCODES[area])}{random.randrange(0, 50, 10):02}"
    admitted = FIRST_DAY + timedelta(days=random.randrange(DAYS))
    country = random.choices(list(COUNTRIES), list(COUNTRIES.values()))[0]
    chance_of_home = 0.95 - DANGER.get(diagnosis, 0.02) - max(0, age - 60) / 100
    home = "yes" if random.random() < chance_of_home else "no"
    # Beds are given as they get free, so the ward tells nothing about the patient.
    return f"P{number:05}", age, sex, postcode, admitted.isoformat(), country, diagnosis, random.choice(WARDS), home


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(patients_csv(), encoding="utf-8")
