"""Values as a policy writes them: exact numbers, counts, flags, paths, lists of items.

What is wrong with a value is a sentence without the key; `refuse` and pydantic know where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from discreet.models.l_plus_diversity import ByFrequency
from discreet.models.partition_limits import Order
from discreet.models.reference import Reference
from discreet.policy.file import decimal, exact, shown, whole
from discreet.taxonomy.detail import Detail

STANDARD_INPUT = "-"
_POSTGRESQL = ("postgresql://", "postgres://")
NO_PLACE_FOR_A_PASSWORD = (
    "a policy is no place for a password; leave it out and keep it where PostgreSQL looks for it, in PGPASSWORD or in "
    "~/.pgpass"
)
_MOST_SECONDS = 10**9
MOST_WEIGHT = 1_000_000


def refuse(faults: Iterable[tuple[tuple[str, ...], str]]) -> None:
    """Raise all faults, each a key (as seen from here) and a sentence; pydantic puts the rest of the key in front."""
    if details := [
        InitErrorDetails(type=PydanticCustomError("policy", "{what}", {"what": what}), loc=key, input=None)
        for key, what in faults
    ]:
        raise ValidationError.from_exception_data("policy", details)


def _share(value: object) -> Fraction:
    share = exact(value)
    if not 0 <= share <= 1:
        raise ValueError(f"{shown(value)} is not between 0 and 1; write a share, such as 0.3 or 1/3")
    return share


def _not_negative(value: object) -> Fraction:
    number = exact(value)
    if number < 0:
        raise ValueError(f"{shown(value)} is below 0; write 0 for the optimum or a tolerance such as 0.05")
    return number


def _at_least_one(value: object) -> Fraction:
    number = exact(value)
    if number < 1:
        raise ValueError(f"{shown(value)} is below 1; write a number such as 3 or 5/2")
    return number


def _above_zero(value: object) -> Fraction:
    number = exact(value)
    if number <= 0:
        raise ValueError(f"{shown(value)} is not above 0; write a number such as 2 or 1/2")
    return number


def _from_zero(value: object) -> Fraction:
    number = exact(value)
    if number < 0:
        raise ValueError(f"{shown(value)} is below 0; write a number such as 1/5")
    return number


def _order(value: object) -> Order | None:
    if value is None or value in ("alphabetical", "numbers"):
        return value
    if isinstance(value, list | tuple) and value and len(set(map(str, value))) == len(value):
        return tuple(map(str, value))
    raise ValueError(f"{shown(value)} is not an order; write alphabetical, numbers, or a list of all values, each once")


def _reference(value: object) -> Reference:
    if value is None or value in ("coarse", "exact"):
        return value
    if isinstance(value, Mapping) and value:
        return _SHARES.validate_python(value)
    raise ValueError(f"{shown(value)} is not a reference; write coarse, exact, or a share for each sensitive value")


def _weight(value: object) -> Fraction:
    weight = exact(value)
    if not 0 < weight <= MOST_WEIGHT or weight.denominator > MOST_WEIGHT:
        raise ValueError(
            f"{shown(value)} is not a weight; write a number above 0 and up to {MOST_WEIGHT:,}, such as 2 or 1/2"
        )
    return weight


def _detail(value: object) -> Detail | None:
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    labels = (value,) if isinstance(value, str) else value
    if isinstance(labels, list | tuple) and labels and all(isinstance(label, str) and label for label in labels):
        return tuple(labels)
    raise ValueError(
        f"{shown(value)} says no level of detail; write how many levels below * it is, from 1 on, or labels of the "
        "taxonomy in quotes"
    )


def _share_or_none(value: object) -> Fraction | None:
    return None if value is None else _share(value)


def _seconds(value: object) -> float | None:
    if value is None:
        return None
    seconds = exact(value)
    if not 0 < seconds <= _MOST_SECONDS:
        raise ValueError(
            f"{shown(value)} is not a number of seconds above 0; for no limit leave out the key or write null"
        )
    return float(seconds)


def _flag(value: object) -> object:
    if not isinstance(value, bool):
        raise ValueError(f"{shown(value)} is neither true nor false; write one of them without quotes")
    return value


def path(value: object, info: ValidationInfo) -> Path:
    if not isinstance(value, str | Path) or not str(value).strip():
        raise ValueError(f"{shown(value)} is not a path; name a file, relative to the policy file")
    if str(value) == STANDARD_INPUT:
        return Path(value)
    folder: Path = (info.context or {}).get("folder", Path())
    return folder / value


def _database(value: object, info: ValidationInfo) -> Path | str:
    if not is_address(value):
        return path(value, info)
    if has_password(str(value)):
        raise ValueError(NO_PLACE_FOR_A_PASSWORD)
    return str(value)


def is_address(value: object) -> bool:
    """Whether it is where a PostgreSQL database is."""
    return isinstance(value, str) and value.startswith(_POSTGRESQL)


def has_password(address: str) -> bool:
    user, at, _ = address.partition("://")[2].partition("@")
    return (bool(at) and ":" in user) or "password=" in address


def _encoding(value: object) -> str:
    """The name of an encoding that Python knows."""
    try:
        "a".encode(str(value))
    except (LookupError, UnicodeError):
        raise ValueError(
            f"{shown(value)} is not an encoding; write one such as utf-8, latin-1, cp1252 or utf-16"
        ) from None
    return str(value)


def _separator(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) != 1 or not value.isascii() or value in '"\r\n\0':
        raise ValueError(f'{shown(value)} is not a separator; write one ASCII character in quotes, such as "," or ";"')
    return value


def _sensitive(value: object, info: ValidationInfo) -> Path | tuple[str, ...]:
    if value is None:  # a list whose items are all commented out
        return ()
    if isinstance(value, str | Path):
        return path(value, info)
    if not isinstance(value, list | tuple):
        raise ValueError(
            f"{shown(value)} is neither a list nor a file; write the items in brackets or name a file with one per line"
        )
    refuse(
        ((str(place),), f"{shown(item)} is not an item; write its text in quotes")
        for place, item in enumerate(value)
        if isinstance(item, bool) or not isinstance(item, str | int) or not str(item).strip()
    )
    return tuple(map(str, value))


def _plain_decimal(number: Decimal) -> int | str:
    return int(number) if number == number.to_integral_value() else str(number)


_Numeric: TypeAlias = int | float | str
Share = Annotated[Fraction, PlainValidator(_share, json_schema_input_type=_Numeric), PlainSerializer(str)]
ShareOrNone = Annotated[
    Fraction | None,
    PlainValidator(_share_or_none, json_schema_input_type=_Numeric | None),
    PlainSerializer(lambda share: None if share is None else str(share)),
]
Weight = Annotated[Fraction, PlainValidator(_weight, json_schema_input_type=_Numeric), PlainSerializer(str)]
DetailChoice = Annotated[
    Detail | None,
    PlainValidator(_detail, json_schema_input_type=int | str | list[str] | None),
    PlainSerializer(lambda detail: list(detail) if isinstance(detail, tuple) else detail),
]
Tolerance = Annotated[Fraction, PlainValidator(_not_negative, json_schema_input_type=_Numeric), PlainSerializer(str)]
NumberFromOne = Annotated[
    Fraction, PlainValidator(_at_least_one, json_schema_input_type=_Numeric), PlainSerializer(str)
]
NumberAboveZero = Annotated[
    Fraction, PlainValidator(_above_zero, json_schema_input_type=_Numeric), PlainSerializer(str)
]
NumberFromZero = Annotated[Fraction, PlainValidator(_from_zero, json_schema_input_type=_Numeric), PlainSerializer(str)]
OrderChoice = Annotated[
    Order | None,
    PlainValidator(_order, json_schema_input_type=str | list[str] | None),
    PlainSerializer(lambda order: list(order) if isinstance(order, tuple) else order),
]
ReferenceChoice = Annotated[
    Reference, PlainValidator(_reference, json_schema_input_type=str | dict[str, _Numeric] | None)
]
Count = Annotated[int, BeforeValidator(whole), Field(ge=1)]
CountFromZero = Annotated[int, BeforeValidator(partial(whole, least=0)), Field(ge=0)]
Seconds = Annotated[float | None, PlainValidator(_seconds, json_schema_input_type=_Numeric | None)]
ColumnName = Annotated[str | None, BeforeValidator(lambda value: None if value is None else str(value))]
Flag = Annotated[bool, BeforeValidator(_flag)]
FilePath = Annotated[Path, PlainValidator(path, json_schema_input_type=str), PlainSerializer(str)]
DatabasePlace = Annotated[Path | str, PlainValidator(_database, json_schema_input_type=str), PlainSerializer(str)]
Encoding = Annotated[str, PlainValidator(_encoding, json_schema_input_type=str)]
Separator = Annotated[str | None, PlainValidator(_separator, json_schema_input_type=str | None)]
Items = Annotated[Path | tuple[str, ...], BeforeValidator(_sensitive, json_schema_input_type=str | list[str] | None)]
Number = Annotated[Decimal, PlainValidator(decimal, json_schema_input_type=_Numeric), PlainSerializer(_plain_decimal)]

_SHARES = TypeAdapter(dict[str, Share])


def _thresholds(value: object) -> Fraction | Mapping[str, Fraction] | ByFrequency:
    """One number for all sensitive values, a number for each, or the rule `{baseline: x, by: frequency}`.

    Two sensitive values may be called baseline and by; then `by` has a number.
    """
    if not isinstance(value, Mapping):
        return _share(value)
    if not value:
        raise ValueError("there is no threshold; write one number for all values, or one for each")
    if value.keys() == {"baseline", "by"}:
        try:
            exact(value["by"])
        except ValueError:
            if value["by"] != "frequency":
                refuse([(("by",), f"{shown(value['by'])} is not a rule; the only rule is frequency")])
            return ByFrequency(_SHARES.validate_python({"baseline": value["baseline"]})["baseline"])
    return _SHARES.validate_python(value)


Thresholds = Annotated[
    Fraction | Mapping[str, Fraction] | ByFrequency,
    PlainValidator(_thresholds, json_schema_input_type=_Numeric | dict[str, _Numeric]),
]
