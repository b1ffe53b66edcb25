"""Transactions: a set of items for each person, or for each occasion that belongs to one."""

from discreet.kinds.kind import Kind, Story
from discreet.values.lazy import Lazy, LazyValue

_SOLVE = "discreet.search.transactions.solve"
_PUBLISHED = "discreet.attacks.transactions.published"
_TERMINAL = "discreet.report.transactions.terminal"

TRANSACTIONS = Kind(
    name="transactions",
    records="transactions",
    policy=LazyValue("discreet.policy:TransactionPolicy"),
    models=LazyValue("discreet.models.transactions:TRANSACTION_MODELS"),
    methods=LazyValue("discreet.methods.transactions:TRANSACTION_METHODS"),
    losses=LazyValue("discreet.losses.transactions:TRANSACTION_LOSSES"),
    measures=LazyValue("discreet.measure.transactions:TRANSACTION_MEASURES"),
    attacks=LazyValue("discreet.attacks.transactions.attacks:TRANSACTION_ATTACKS"),
    needs={"sensitive": "sensitive items"},
    is_recognized=Lazy("discreet.read.recognize:looks_like_transactions"),
    inspect=Lazy("discreet.profile.transactions.inspection:inspect_transactions"),
    encode=Lazy(f"{_SOLVE}:encode"),
    encoding_key=Lazy(f"{_SOLVE}:encoding_key"),
    warnings=lambda engine, policy, encoding: (),
    warm_up=Lazy("discreet.search.transactions.warm_up:warm_up"),
    search=Lazy(f"{_SOLVE}:search"),
    load_rule=Lazy("discreet.recode.transactions.rule:load_rule"),
    apply=Lazy(f"{_SOLVE}:apply"),
    write=Lazy(f"{_SOLVE}:write"),
    certified=Lazy(f"{_SOLVE}:certified"),
    write_rule=Lazy(f"{_SOLVE}:write_rule"),
    read_release=Lazy(f"{_SOLVE}:read_published"),
    read_data=Lazy("discreet.read.published:transactions_of"),
    measure=Lazy("discreet.measure.transactions:measure_solved"),
    attack=Lazy(f"{_PUBLISHED}:attack_solved"),
    attack_folder=Lazy(f"{_PUBLISHED}:attack_folder"),
    with_attack=Lazy(f"{_PUBLISHED}:with_attack"),
    document=Lazy("discreet.report.transactions.document:transaction_document"),
    page=Lazy("discreet.report.transactions.page:page_of"),
    row_columns=(
        "status",
        "cost",
        "normalized",
        "bound",
        "gap",
        "items_published",
        "items_general",
        "occurrences_left_out",
        "occurrences_unchanged",
        "transactions_unique",
        "confidence_highest",
        "cuts_examined",
        "seconds",
    ),
    row=Lazy("discreet.report.transactions.row:row_of"),
    row_shown={
        "occurrences_unchanged": ("kept", "of all items of all transactions, how many are published as they were"),
        "confidence_highest": ("risk", "the highest confidence in a sensitive item, by one published item"),
    },
    result_lines=Lazy(f"{_TERMINAL}:result_lines"),
    attack_lines=Lazy(f"{_TERMINAL}:attack_lines"),
    inspection_lines=Lazy(f"{_TERMINAL}:inspection_lines"),
    story=Story(
        "An invented shop wants to publish what its customers buy together. Some of them bought a pregnancy test, "
        "nicotine patches or an HIV self-test; anyone who stood behind them at the checkout saw a few things in their "
        "basket and could look for the rest of it. So a steward wrote this policy:",
        "What somebody who saw a few things in everybody's basket learns, in short:",
    ),
    files={
        "release/data.*": "the transactions to publish, in random order and in the shape of the original, or that "
        "of `output.format`",
        "release/sensitive.csv": "with `permutation` only: how often each group has which sensitive item",
        "release/certificate.json": "what is promised, which items are sensitive, by which method",
        "release/taxonomies/1-items.csv": "what the published items mean",
        "steward/report.html": "for the steward: what was chosen, what it costs, what the attacks learn",
        "steward/result.json": "the same, for programs",
        "steward/recoding.json": "with methods that treat all transactions alike: the choice that was made, to apply "
        "to another file with `publish --recoding`",
        "steward/mapping.csv": "with the same methods: every original item and what it is published as",
    },
)
