"""A full result document, as of a census table with seven quasi-identifiers and fourteen occupations.

The figures are made up but fit together; those of a real run come from the contract tests.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

ROWS = 45_222

Tree = Mapping[str, "Tree | int"]

TAXONOMIES: dict[str, Tree] = {
    "age": {
        f"{low}-{low + 39}": {
            f"{ten}-{ten + 9}": {f"{five}-{five + 4}": 3200 - 28 * (five - 17) for five in (ten, ten + 5)}
            for ten in range(low, low + 40, 10)
        }
        for low in (17, 57)
    },
    "education": {
        "Before college": {
            "Primary": {"Preschool": 72, "1st-4th": 222, "5th-6th": 449},
            "Secondary": {"7th-8th": 823, "9th": 676, "10th": 1223, "11th": 1619, "12th": 577, "HS-grad": 14783},
        },
        "College and beyond": {
            "College": {"Some-college": 9899, "Assoc-voc": 1959, "Assoc-acdm": 1507},
            "University": {"Bachelors": 7570, "Masters": 2514, "Prof-school": 785, "Doctorate": 544},
        },
    },
    "native-country": {
        "America": {
            "Northern America": {"United-States": 41292, "Canada": 163, "Outlying-US(Guam-USVI-etc)": 22},
            "Central America": {
                **{"Mexico": 903, "Guatemala": 86, "Nicaragua": 48, "El-Salvador": 147, "Honduras": 19},
            },
            "Caribbean": {
                **{"Puerto-Rico": 175, "Cuba": 133, "Jamaica": 103, "Haiti": 69, "Dominican-Republic": 97},
                "Trinadad&Tobago": 26,
            },
            "South America": {"Columbia": 82, "Ecuador": 43, "Peru": 45},
        },
        "Asia": {
            "Eastern Asia": {"China": 113, "Japan": 89, "Taiwan": 55, "Hong": 28, "South": 101},
            "Other Asia": {"India": 147, "Iran": 56, "Philippines": 283, "Vietnam": 83, "Thailand": 29, "Laos": 21},
        },
        "Europe": {
            "Western Europe": {"England": 119, "Germany": 193, "France": 36, "Ireland": 36, "Scotland": 20},
            "Other Europe": {"Italy": 100, "Poland": 81, "Portugal": 62, "Greece": 49, "Hungary": 18, "Yugoslavia": 23},
        },
    },
    "workclass": {
        "Government": {"Federal-gov": 1406, "State-gov": 1946, "Local-gov": 3100},
        "Self-employed": {"Self-emp-inc": 1646, "Self-emp-not-inc": 3796},
        "Private": 33307,
        "Without-pay": 21,
    },
    "marital-status": {
        "Married": {"Married-civ-spouse": 21055, "Married-AF-spouse": 32},
        "Not living with a spouse": {
            "Married-spouse-absent": 552,
            "Separated": 1411,
            "Divorced": 6297,
            "Widowed": 1277,
        },
        "Never-married": 14598,
    },
    "sex": {"Male": 30527, "Female": 14695},
    "race": {
        "White or Black": {"White": 38903, "Black": 4228},
        "Other origin": {"Asian-Pac-Islander": 1303, "Amer-Indian-Eskimo": 435, "Other": 353},
    },
}
CUTS: dict[str, Sequence[str]] = {
    "age": [f"{ten}-{ten + 9}" for ten in range(17, 97, 10)],
    "education": ["Primary", "Secondary", "College", "Bachelors", "Masters", "Prof-school", "Doctorate"],
    "native-country": ["America", "Asia", "Europe"],
    "workclass": ["Government", "Self-employed", "Private", "Without-pay"],
    "marital-status": ["Married", "Not living with a spouse", "Never-married"],
    "sex": ["Male", "Female"],
    "race": ["*"],
}
OCCUPATIONS = {
    **{"Craft-repair": 6020, "Prof-specialty": 6008, "Exec-managerial": 5984, "Adm-clerical": 5540, "Sales": 5408},
    **{"Other-service": 4808, "Machine-op-inspct": 2970, "Transport-moving": 2316, "Handlers-cleaners": 2046},
    **{"Farming-fishing": 1480, "Tech-support": 1420, "Protective-serv": 976, "Priv-house-serv": 232},
    "Armed-Forces": 14,
}


def sample_document() -> dict[str, Any]:
    """As `publish` writes it to steward/result.json."""
    policy = sample_policy()
    columns = [_column(name, options["role"]) for name, options in policy["attributes"].items()]
    return {
        "format": "discreet-result/1",
        "status": "feasible",
        "loss": {"name": "lm", "cost": 92127.46, "exact": "4606373/50", "normalized": 0.2910},
        "bound": 90651.2,
        "gap": 0.01602,
        "cuts": {name: list(cut) for name, cut in CUTS.items()},
        "suppressed": {"records": 0, "values": 2741},
        "sensitive_values": {"shown": ROWS - 2741, "share": (ROWS - 2741) / ROWS},
        "betraying_stars": 12,
        "rows": {"original": ROWS, "published": ROWS},
        "partitions": {"count": 1873, "smallest": 1, "median": 6.0, "largest": 1904},
        "published_values": {
            column["name"]: {
                column["taxonomy"]["labels"][node]: column["taxonomy"]["records"][node]
                for node in column["taxonomy"]["cut"]
            }
            for column in columns
            if column["taxonomy"] is not None
        },
        "columns": columns,
        "classes": {
            "before": _classes([(1, 1, 9120), (2, 2, 2410), (3, 4, 1730), (5, 9, 1120), (10, 19, 480), (20, 49, 260)]),
            "after": _classes(
                [(1, 1, 212), (2, 2, 158), (3, 4, 261), (5, 9, 402), (10, 19, 364), (20, 49, 262), (50, None, 214)]
            ),
        },
        "utility": sample_utility(),
        "attack": sample_attack(),
        "search": {
            "method": "l-plus-optimize",
            "cuts_total": 1_234_567_890_123_456,
            "cuts_examined": 48_213,
            "seconds": 60.02,
            "interrupted": False,
            "events": [
                {
                    "seconds": round(0.04 * 1.16**step, 3),
                    "incumbent": None if step < 2 else 92127.46 + 60_000 * math.exp(-(step // 4)),
                    "bound": 90651.2 - 70_000 * math.exp(-step / 9),
                    "examined": int(3 * 1.22**step),
                }
                for step in range(50)
            ],
        },
        "top_h": {"asked": 5, "found": 5},
        "promise": ["l-plus-diversity: no sensitive value has more than its threshold of a partition (at most 1/2)."],
        "verified": True,
        "seed": None,
        "warnings": [
            "12 suppressed values can be worked out, as every other sensitive value shows in their group; set "
            "search.guard_stars: true to prevent that."
        ],
        "policy": policy,
    }


def sample_policy() -> dict[str, Any]:
    return {
        "data": {"kind": "table", "path": "/data/adult_clean_45222.csv.zst"},
        "attributes": {
            "fnlwgt": {"role": "identifier"},
            **{
                name: {"role": "quasi-identifier", "taxonomy": f"taxonomies/{name}.csv", "on_missing": "error"}
                for name in TAXONOMIES
            },
            "occupation": {"role": "sensitive"},
            "income": {"role": "class"},
        },
        "privacy": [{"model": "l-plus-diversity", "thresholds": "1/3"}],
        "search": {
            "method": "l-plus-optimize",
            "loss": "lm",
            "suppression": "vio-sa",
            "time_limit": 60,
            "alpha": "0",
            "top_h": 5,
            "guard_stars": False,
        },
        "output": {"format": "csv"},
    }


def taxonomy_document(tree: Tree, cut: Sequence[str]) -> dict[str, Any]:
    """A taxonomy from nested mappings with the records of the leaves."""
    labels, parents, records, values = ["*"], [-1], [0], [0]

    def grow(inner: Tree, parent: int) -> None:
        for label, below in inner.items():
            node = len(labels)
            labels.append(label)
            parents.append(parent)
            records.append(below if isinstance(below, int) else 0)
            values.append(1 if isinstance(below, int) else 0)
            if not isinstance(below, int):
                grow(below, node)

    grow(tree, 0)
    for node in range(len(labels) - 1, 0, -1):
        records[parents[node]] += records[node]
        values[parents[node]] += values[node]
    nodes = [node for node, label in enumerate(labels) if label in set(cut)]
    return {"labels": labels, "parents": parents, "records": records, "values": values, "cut": nodes, "complete": True}


def _column(name: str, role: str) -> dict[str, Any]:
    fates = {
        "identifier": "dropped",
        "quasi-identifier": "generalized along its taxonomy",
        "sensitive": "published; 2,741 values replaced by *",
        "class": "published as it is",
    }
    taxonomy = taxonomy_document(TAXONOMIES[name], CUTS[name]) if name in TAXONOMIES else None
    return {"name": name, "role": role, "fate": fates[role], "taxonomy": taxonomy}


def _classes(sizes: Sequence[tuple[int, int | None, int]]) -> dict[str, Any]:
    bins = [
        {"from": low, "to": high, "classes": number, "records": number * (low if high is None else (low + high) // 2)}
        for low, high, number in sizes
    ]
    total = sum(number for *_, number in sizes)
    return {
        "count": total,
        "smallest": 1,
        "median": 2.0,
        "average": sum(entry["records"] or 0 for entry in bins) / total,
        "largest": 1904,
        "sizes": bins,
    }


def _measure(
    name: str, title: str, unit: str, original: float | None, release: float | None, reading: str, **details: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "paper": "LeFevre et al. 2006; Xiao and Tao 2006",
        "definition": f"The definition of {title.lower()}, in a sentence that says what is counted and over what.",
        "unit": unit,
        "original": original,
        "release": release,
        "reading": reading,
        "details": details,
    }


def sample_utility() -> list[dict[str, Any]]:
    columns = [
        {
            "column": name,
            "divergence": None if name == "race" else 0.04 * index,
            "distance": 0.42 - 0.05 * index,
            "vanished": 2 if name == "race" else 0,
            "vanished_values": ["Other"] if name == "race" else [],
        }
        for index, name in enumerate(["native-country", "race", *list(TAXONOMIES)[:2], "sex", "occupation", "income"])
    ]
    errors = {"original": 0.0031, "release": 0.0032, "majority": 0.0035}
    return [
        _measure(
            "classifier",
            "Machine learning: accuracy of a classifier",
            "share",
            0.8312,
            0.8154,
            "A decision tree trained on the release predicts income rightly for 81.5% of new records; trained on the "
            "original it is 83.1%, and always guessing the commonest gives 75.2%.",
            ran=True,
            majority=0.7521,
            training_records=30_148,
            test_records=15_074,
            standard_error=errors,
        ),
        _measure(
            "queries",
            "Error of counting queries",
            "share",
            0.0,
            0.114,
            "Of 1,000 random counts read off the release, half are off by 11.4% or less and nine in ten by 62.0% or "
            "less.",
            queries=1000,
            median=0.114,
            mean=0.21,
            percentile_90=0.62,
            deciles=[0.0, 0.011, 0.03, 0.052, 0.08, 0.114, 0.17, 0.26, 0.39, 0.62, 9.4],
            by_conditions={
                "1": {"queries": 330, "median": 0.07},
                "2": {"queries": 340, "median": 0.12},
                "3": {"queries": 330, "median": 0.19},
            },
        ),
        _measure(
            "association",
            "Associations between two columns",
            "share",
            1.0,
            0.81,
            "The release keeps 81.0% of the evidence for associations between two columns.",
            pairs=[
                {"columns": list(pair), "original": 900.0 / place, "release": 810.0 / place, "kept": 0.9 - place / 20}
                for place, pair in enumerate(itertools.combinations(list(TAXONOMIES)[:4], 2), start=1)
            ],
        ),
        _measure(
            "marginals",
            "Distributions of single columns",
            "share",
            0.0,
            0.192,
            "Read off the release, the average column has 19.2% of its records at other values than in the original.",
            columns=columns,
        ),
        _measure(
            "lm",
            "Loss metric (LM)",
            "share",
            0.0,
            0.291,
            "The release has lost 29.1% of the detail.",
            cost={"original": 0, "release": 92127.46},
            attributes={name: place / 10 for place, name in enumerate(TAXONOMIES)},
        ),
        _measure("discernibility", "Discernibility (DM)", "count", 912_332, 18_233_411, "Groups grew twentyfold."),
        _measure("average_class_size", "Average class size (C_avg)", "records", 2.99, 24.1, "24 records each."),
    ]


def _rate(right: int, of: int) -> dict[str, Any]:
    rate = right / of
    room = 1.96 * math.sqrt(rate * (1 - rate) / of)
    return {"right": right, "of": of, "rate": rate, "interval": [rate - room, rate + room]}


def sample_attack(people: int = ROWS) -> dict[str, Any]:
    """As `discreet attack` prints it without --known."""

    def side(found: int, certain: int, above: int, highest: float, right: int) -> dict[str, Any]:
        found, certain, above, right = (figure * people // ROWS for figure in (found, certain, above, right))
        return {
            "matches": [
                {"from": 0, "to": 0, "people": 0},
                {"from": 1, "to": 1, "people": found},
                {"from": 2, "to": 9, "people": people // 5},
                {"from": 10, "to": None, "people": people - found - people // 5},
            ],
            "found": found,
            "unmatched": 0,
            "highest_confidence": highest,
            "certain": certain,
            "above_threshold": above,
            "guesses": _rate(right, people),
            "baseline": _rate(people // 8, people),
        }

    def risk(highest: float, average: float, at_risk: float) -> dict[str, Any]:
        person = {"highest": highest, "average": average, "share_at_risk": at_risk}
        return {"prosecutor": person, "journalist": dict(person), "marketer": average}

    return {
        "format": "discreet-attack/1",
        "adversary": "Knows the quasi-identifiers of everybody in the original.",
        "people": people,
        "linkage": {"before": side(9_120, 11_302, 24_118, 1.0, 27_340), "after": side(212, 0, 0, 1 / 3, 11_930)},
        "values": [
            {
                "value": value,
                "threshold": 1 / 3,
                "share": number / ROWS,
                "before": min(1.0, 0.35 + number / 9000),
                "after": max(0.05, (1 / 3) * min(1.0, number / 2400)),
                "above_before": number // 2,
                "above_after": 0,
            }
            for value, number in OCCUPATIONS.items()
        ],
        "risk": {
            "at_risk": 0.2,
            "population": "the table itself",
            "before": risk(1.0, 0.334, 0.41),
            "after": risk(1.0, 0.041, 0.03),
        },
        "stars": {
            "applies": True,
            "stars": 2741,
            "told": 12,
            "guesses": _rate(803, 2741),
            "reading": "Of 2,741 stars 12 tell what they hide, as every other value shows in their group.",
        },
        "minimality": {
            "applies": False,
            "reading": "The release was drawn from the five best, so that its being the least cannot be taken for "
            "granted.",
        },
        "intersection": {"applies": False, "reading": "There is no earlier release to intersect this one with."},
        "persons": [
            {
                "person": {"age": str(30 + index), "education": "Doctorate", "sex": "Female"},
                "before": {"records": 1, "values": [{"value": "Prof-specialty", "confidence": 1.0}]},
                "after": {
                    "records": 9 + index,
                    "values": [
                        {"value": "Prof-specialty", "confidence": 0.33},
                        {"value": "Exec-managerial", "confidence": 0.22},
                    ],
                },
            }
            for index in range(6)
        ],
        "reading": [
            "In the original 9,120 of 45,222 people fit exactly one record; in the release it is 212.",
            "In the original the sensitive value of 24,118 people exceeds its threshold; in the release of none.",
        ],
    }


def known_attack() -> dict[str, Any]:
    """As `discreet attack --known voters.csv` prints it."""
    return {**sample_attack(812), "known": "voters.csv", "adversary": "Holds the list of voters."}
