"""Tables: a row for each person, or for each thing that belongs to one, and a value in each column."""

from discreet.kinds.kind import Kind, Story
from discreet.values.lazy import Lazy, LazyValue

_SOLVE = "discreet.search.table.solve"
_PUBLISHED = "discreet.attacks.table.published"
_TERMINAL = "discreet.report.table.terminal"

TABLE = Kind(
    name="table",
    records="records",
    policy=LazyValue("discreet.policy:TablePolicy"),
    models=LazyValue("discreet.models.table:TABLE_MODELS"),
    methods=LazyValue("discreet.methods.table:TABLE_METHODS"),
    losses=LazyValue("discreet.losses.table:TABLE_LOSSES"),
    measures=LazyValue("discreet.measure.table:TABLE_MEASURES"),
    attacks=LazyValue("discreet.attacks.table.attacks:TABLE_ATTACKS"),
    vocabularies=LazyValue("discreet.policy.table:VOCABULARIES"),
    describe_loss=Lazy("discreet.losses.table:described"),
    needs={"sensitive": "a sensitive column", "class": "a class column"},
    is_recognized=Lazy("discreet.read.recognize:looks_like_a_table"),
    inspect=Lazy("discreet.profile.table.inspection:inspect_table"),
    encode=Lazy(f"{_SOLVE}:encode"),
    encoding_key=Lazy(f"{_SOLVE}:encoding_key"),
    warnings=Lazy("discreet.profile.table.unchanged_columns:warn_of_unchanged"),
    warm_up=Lazy("discreet.search.table.warm_up:warm_up"),
    search=Lazy(f"{_SOLVE}:search"),
    load_rule=Lazy("discreet.recode.table.rule:load_rule"),
    apply=Lazy(f"{_SOLVE}:apply"),
    write=Lazy(f"{_SOLVE}:write"),
    certified=Lazy(f"{_SOLVE}:certified"),
    write_rule=Lazy(f"{_SOLVE}:write_rule"),
    read_release=Lazy("discreet.encode.released_table:read_published"),
    read_data=Lazy("discreet.read.published:table_of"),
    measure=Lazy("discreet.measure.table:measure_solved"),
    attack=Lazy(f"{_PUBLISHED}:attack_solved"),
    attack_folder=Lazy(f"{_PUBLISHED}:attack_folder"),
    with_attack=Lazy(f"{_PUBLISHED}:with_attack"),
    document=Lazy("discreet.report.table.document:table_document"),
    page=Lazy("discreet.report.table.page:page_of"),
    row_columns=(
        "status",
        "cost",
        "normalized",
        "bound",
        "gap",
        "records_deleted",
        "values_suppressed",
        "partitions",
        "values_unchanged",
        "risk_highest",
        "risk_average",
        "confidence_highest",
        "accuracy",
        "accuracy_original",
        "accuracy_majority",
        "cuts_examined",
        "seconds",
    ),
    row=Lazy("discreet.report.table.row:row_of"),
    row_shown={
        "values_unchanged": ("kept", "of the values of the quasi-identifiers, how many are published as they were"),
        "risk_highest": ("risk", "of tracing somebody in the smallest group, one in so many records"),
    },
    result_lines=Lazy(f"{_TERMINAL}:result_lines"),
    attack_lines=Lazy(f"{_TERMINAL}:attack_lines"),
    inspection_lines=Lazy(f"{_TERMINAL}:inspection_lines"),
    story=Story(
        "A steward wrote this policy for the data of an invented hospital:",
        "What an adversary who knows everybody's quasi-identifiers learns, in short:",
    ),
    files={
        "release/data.csv": "the table to publish, its rows in random order (`data.parquet` with "
        "`output.format: parquet`)",
        "release/certificate.json": "what is promised, about which columns, by which method",
        "release/taxonomies/*.csv": "what the published values of each quasi-identifier mean",
        "steward/report.html": "for the steward: what was chosen, what it costs, what the attacks learn",
        "steward/result.json": "the same, for programs",
        "steward/recoding.json": "the choice that was made, to apply to another file with `publish --recoding`",
        "steward/mapping.csv": "every original value of a quasi-identifier and what it is published as",
    },
)
