"""A kind of data: the place of everything that the commands need from it. Wiring only; it all loads when used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Function = Callable[..., Any]
Registry = Callable[[], Any]
"""what gives a registry, or a class, when it is asked for"""


@dataclass(frozen=True)
class Story:
    """The words around a demo: whose data they are, and who attacks the release."""

    opening: str
    attack: str


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One record for each kind of data. The functions take what the one before them gave."""

    name: str
    records: str
    """what a file of it holds, in a word"""
    policy: Registry
    """the class of its policies"""
    models: Registry
    methods: Registry
    losses: Registry
    measures: Registry
    attacks: Registry
    vocabularies: Registry = tuple
    """the Vocabularies that its policies have besides"""

    describe_loss: Function = lambda loss: []
    """loss -> what it needs, in a few words each"""
    needs: Mapping[str, str]
    """what a measure may need -> what that is called"""

    is_recognized: Function
    """data, and the separator and the encoding that were given -> whether they are likely to be of this kind"""
    inspect: Function
    """engine, what is asked -> an inspection: `policy`, `policy_text`, `out`, `as_dict()`"""
    encode: Function
    """engine, policy, data in memory or None -> encoding"""
    encoding_key: Function
    """policy -> what has to be equal for two policies to share an encoding of the same data"""
    warnings: Function
    """engine, policy, encoding -> sentences about the data, besides those of the encoding"""
    warm_up: Function
    """policy -> compiles what its search needs"""
    search: Function
    """policy, encoding, random, listener -> Solved"""
    load_rule: Function
    """a rule or its file, policy -> the policy with what the rule settles, and the rule"""
    apply: Function
    """rule, policy, encoding -> Solved"""
    write: Function
    """engine, solved, folder, random -> Written"""
    certified: Function
    """solved -> what the certificate says about the method besides its name and version"""
    write_rule: Function
    """solved, folder -> the files from which its rule can be applied again, where there is one"""
    read_release: Function
    """engine, policy, encoding, folder -> the release as it can be read there"""
    read_data: Function
    """the folder of a release, its certificate -> its data as an Arrow table"""
    measure: Function
    """solved, encoding, release, random -> parts of the result"""
    attack: Function
    """solved, encoding, release, random -> the attack's document"""
    attack_folder: Function
    """engine, folder, policy, result, known, original, second, random -> the attack's document"""
    with_attack: Function
    """result, an attack's document -> the result to show, and the attack to show beside it"""
    document: Function
    """solved, verdict, seed -> the result, as far as it is known without the release"""
    page: Function
    """result, attack -> the subtitle and the sections of the steward's page"""
    row_columns: tuple[str, ...]
    """what a comparison says about a setting"""
    row: Function
    """solved, encoding, random -> these columns"""
    row_shown: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """columns that a terminal shows beside the loss, shares all -> what each is called there, and what it means"""

    result_lines: Function
    attack_lines: Function
    inspection_lines: Function
    story: Story
    files: Mapping[str, str] = field(default_factory=dict)
    """what publish writes -> what it holds"""
