"""Makes the baskets of `discreet demo transactions`: an invented shop, the same files every time.

    python examples/make_demo_baskets.py src/discreet/demo/transactions

Nobody in it exists. What matters is that it looks like the real thing: a few things are in every other basket,
households buy what goes together, most baskets are the only one of their kind, and what people would rather not be
seen with goes with harmless things that give it away.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random

BASKETS = 2000
SEED = 20_260_404

Shelf = Mapping[str, "int | Shelf"]

SHOP: Shelf = {
    # an item with how much it is liked, or a shelf with what stands on it
    "food": {
        "bread": {"white bread": 60, "wholemeal bread": 46, "rolls": 30},
        "dairy": {
            "milk": 80,
            "butter": 40,
            "yogurt": 40,
            "cheese": {"hard cheese": 26, "soft cheese": 10, "goat cheese": 3},
        },
        "fruit": {"bananas": 56, "apples": 50, "other fruit": {"oranges": 16, "grapes": 8, "berries": 6, "figs": 1}},
        "vegetables": {
            "tomatoes": 40,
            "potatoes": 34,
            "other vegetables": {"carrots": 18, "salad": 14, "mushrooms": 5, "aubergines": 2},
        },
        "pantry": {"pasta": 26, "rice": 12, "flour": 8, "olive oil": 7, "lentils": 3},
        "breakfast": {"muesli": 14, "jam": 11, "honey": 6},
        "sweets": {"chocolate and biscuits": {"chocolate": 30, "biscuits": 18}, "gum": {"chewing gum": 12, "mints": 8}},
    },
    "drinks": {
        "hot drinks": {"coffee": 40, "tea": {"black tea": 14, "herbal tea": 10, "green tea": 4}},
        "soft drinks": {"mineral water": 40, "juice and soda": {"orange juice": 22, "cola": 16, "iced tea": 6}},
        "alcohol": {"beer": 22, "wine": {"red wine": 14, "white wine": 8, "sparkling wine": 2}},
    },
    "household": {
        "cleaning": {"washing powder": 12, "dish soap": 10, "sponges": 7, "descaler": 2},
        "paper": {"toilet paper": 18, "kitchen roll": 10, "napkins": 4},
        "pets": {"cats": {"cat food": 11, "cat litter": 5}, "dogs": {"dog food": 7, "dog biscuits": 3}},
    },
    "baby": {
        "nappies and wipes": {"nappies": 10, "baby wipes": 8, "nappy cream": 3},
        "baby food": {"baby milk": 6, "vegetable puree": 5, "fruit puree": 5},
    },
    "body care": {
        "teeth": {"toothpaste": 14, "toothbrush": 7, "dental floss": 3},
        "hair": {"shampoo": 12, "conditioner": 4, "hair dye": 2},
        "skin": {"soap": 12, "deodorant": 8, "hand cream": 5, "sun cream": 3, "razors": 4},
    },
    "medicine": {
        "pain and stomach": {"paracetamol": 18, "ibuprofen": 12, "antacid": 6, "muscle gel": 2},
        "colds": {"cough drops": 18, "nasal spray": 14, "thermometer": 2},
        "vitamins": {"multivitamins": 12, "vitamin D": 8, "magnesium": 5, "folic acid": 3},
    },
}
ERRANDS = {
    # what somebody came for: weight, from which shelves up to how many things, things with their chances
    "the week": (28, {"food": 6, "drinks": 2, "household": 1, "body care": 1, "medicine": 1}, {}),
    "a few things": (26, {"food": 4, "drinks": 1}, {}),
    "breakfast": (14, {"bread": 1, "dairy": 2, "breakfast": 1, "hot drinks": 1}, {"milk": 0.4}),
    "the evening": (10, {"alcohol": 1, "sweets": 1, "food": 3}, {"pasta": 0.3, "tomatoes": 0.3}),
    "the baby": (9, {"baby": 2, "food": 4, "drinks": 1}, {"nappies": 0.6, "baby wipes": 0.4, "bananas": 0.4}),
    "the pets": (6, {"pets": 1, "food": 3, "drinks": 1}, {"milk": 0.3}),
    "a cold": (8, {"colds": 1, "food": 3}, {"paracetamol": 0.5, "herbal tea": 0.5, "oranges": 0.3}),
    "the medicine cabinet": (8, {"medicine": 2, "body care": 1, "household": 1, "food": 2}, {}),
    "body care": (8, {"body care": 2, "household": 1, "food": 2}, {}),
    "a child to come": (5, {"vitamins": 1, "food": 4}, {"folic acid": 0.6, "herbal tea": 0.5, "pregnancy test": 0.6}),
    "the last cigarette": (4, {"food": 3, "drinks": 1}, {"chewing gum": 0.7, "mints": 0.3, "nicotine patches": 0.6}),
    "a worry": (2, {"body care": 1, "drinks": 1, "food": 3}, {"HIV self-test": 0.6, "razors": 0.3}),
}
SENSITIVE = ("HIV self-test", "nicotine patches", "pregnancy test")
CHANCE_OF_ANY = 0.004
"""that a sensitive item is in a basket for no reason that the rest of it shows"""


def taxonomy_rows() -> list[tuple[str, ...]]:
    """A row for each item that is not sensitive: the item, its shelf, what that belongs to, and so on."""
    return [(*path, "*") for path, _ in _paths(SHOP)]


def _paths(shelf: Shelf) -> Iterator[tuple[tuple[str, ...], int]]:
    """Each item with the shelves above it, and how much it is liked."""
    for name, content in shelf.items():
        if isinstance(content, int):
            yield (name,), content
        else:
            yield from (((*path, name), liking) for path, liking in _paths(content))


def baskets() -> list[list[str]]:
    random = Random(SEED)
    return [_basket(random) for _ in range(BASKETS)]


def _basket(random: Random) -> list[str]:
    errand = random.choices(list(ERRANDS), [weight for weight, *_ in ERRANDS.values()])[0]
    _, shelves, chances = ERRANDS[errand]
    things = [item for item, chance in chances.items() if random.random() < chance]
    for place, most in shelves.items():
        liked = _liked(place)
        things += random.choices(list(liked), list(liked.values()), k=random.randint((most + 1) // 2, most))
    things += [item for item in SENSITIVE if random.random() < CHANCE_OF_ANY]
    basket = list(dict.fromkeys(things))
    random.shuffle(basket)
    return basket


@cache
def _liked(place: str) -> dict[str, int]:
    """What a shelf has, and how much each thing is liked."""
    return {path[0]: liking for path, liking in _paths(SHOP) if place in path}


def write(folder: Path) -> None:
    for name, delimiter, rows in (("baskets.csv", ",", baskets()), ("taxonomy.csv", ";", taxonomy_rows())):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
