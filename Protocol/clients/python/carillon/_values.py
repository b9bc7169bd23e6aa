"""Values of Python from the fields of messages: times, enumerations, rows. The annotations of a class say which."""
from __future__ import annotations

import dataclasses
import functools
import sys
import typing
import uuid
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, List, Optional, Type, TypeVar, Union

from ._codec import Layout, Reader, compiled, fixed_reader
from .enums import ProtocolEnum, ProtocolFlag
from .errors import invalid

T = TypeVar("T")
# A point in time: a `datetime` with a zone, or milliseconds since 1970.
Time = Union[datetime, int]
# A duration: seconds, or a `timedelta`.
Seconds = Union[float, timedelta]
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# A time that does not come.
FOREVER = float("inf")
LATEST = datetime.max.replace(tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)
_UTC = timezone.utc
_from_timestamp = datetime.fromtimestamp
# The end of the milliseconds that a `datetime` can express.
_TIMES_END = 253_402_300_800_000


class Unset:
    """The type of `UNSET`."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


# The default of an option that a program does not give. None is not the same: it is a value that is missing by
# accident, and an error.
UNSET: Any = Unset()


def given_options(options: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the options that the program has given. None is INVALID_ARGUMENT of that option (CONTRACT.md, AUD-4)."""
    given = {name: value for name, value in options.items() if value is not UNSET}
    for name, value in given.items():
        if value is None:
            raise invalid(name, "None is no value; leave the option out")
    return given


def milliseconds(value: Time, field: str) -> int:
    """Returns milliseconds since 1970."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise invalid(field, "a datetime without a time zone is ambiguous")
        return (value - EPOCH) // _MILLISECOND
    if isinstance(value, bool) or not isinstance(value, int):
        raise invalid(field, "a datetime with a zone or whole milliseconds are needed")
    return value


def seconds(value: Seconds, field: str) -> float:
    """Returns a duration in seconds, which must be finite and not negative."""
    number = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number < float("inf"):
        raise invalid(field, "seconds or a timedelta are needed")
    return float(number)


def bool_number(value: bool, field: str) -> int:
    """Returns 1 for True and 0 for False, as a field has it; anything else is INVALID_ARGUMENT."""
    if not isinstance(value, bool):
        raise invalid(field, "True or False is needed")
    return int(value)


def time(value: int) -> datetime:
    """Returns the time of milliseconds since 1970; times beyond the year 9999 are its last moment."""
    return _from_timestamp(value / 1000, _UTC) if value < _TIMES_END else LATEST


def time_or_none(value: int) -> Optional[datetime]:
    """Returns a time; None for 0, which stands for no time."""
    return time(value) if value else None


# Converters. Each takes the value of a field; those of optional fields are not called without one.

def _converter(kind: Any) -> Optional[Callable[[Any], Any]]:
    """Returns the function for a type of an annotation; None if values stay as they are."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is datetime:
        return time
    if kind is bool:
        return bool
    if kind is uuid.UUID:
        return lambda raw: uuid.UUID(bytes=raw)
    if origin is Union and datetime in arguments:
        return time_or_none
    if origin is Union:
        return _converter(arguments[0])
    if origin is list:
        each = _converter(arguments[0])
        return None if each is None else functools.partial(_list, each)
    if origin is dict:
        convert = _converter(arguments[0])
        return lambda rows: {
            convert(key) if convert else key: value for key, value in (row.values() for row in rows)}
    if isinstance(kind, type) and issubclass(kind, ProtocolEnum):
        return _Members(kind)
    if isinstance(kind, type) and issubclass(kind, ProtocolFlag):
        return kind
    is_row = isinstance(kind, type) and dataclasses.is_dataclass(kind)
    row: Any = kind
    return reader(row) if is_row else None


def _list(each: Callable[[Any], Any], values: List[Any]) -> List[Any]:
    return [each(value) for value in values]


class _Members(Dict[int, Any]):
    """The members of an enumeration by their numbers; much faster than a call of the class."""

    def __init__(self, kind: Type[ProtocolEnum]) -> None:
        super().__init__((member.value, member) for member in kind)
        self.kind = kind

    def __call__(self, number: int) -> Any:
        return self[number]

    def __missing__(self, number: int) -> Any:
        self[number] = member = self.kind(number)
        return member


def reader(kind: Type[T]) -> Callable[[Dict[str, Any]], T]:
    """Returns a function that makes a value of a dataclass from fields; it is compiled at its first use."""
    made: List[Callable[[Dict[str, Any]], T]] = []

    def read(fields: Dict[str, Any]) -> T:
        if not made:
            made.append(_compiled(kind))
        return made[0](fields)
    return read


def _compiled(kind: Type[T]) -> Callable[[Dict[str, Any]], T]:
    """Returns `lambda fields: kind(fields["a"], convert_b(fields["b"]), …)`, compiled: a loop would be slower."""
    hints = typing.get_type_hints(kind, vars(sys.modules[kind.__module__]))
    scope: Dict[str, Any] = {"kind": kind, **_SCOPE}
    pieces = []
    row: Any = kind
    for each in dataclasses.fields(row):
        name, convert = each.name, _converter(hints[each.name])
        source, is_optional = f"fields['{name}']", each.default is not dataclasses.MISSING
        if each.default_factory is not dataclasses.MISSING:
            is_optional = True
            scope[f"default_{name}"] = each.default_factory
        if convert is not None:
            scope[f"convert_{name}"] = convert
            source = _converted(f"convert_{name}", source, convert)
        if each.default is not dataclasses.MISSING:
            scope[f"default_{name}"] = each.default
        if is_optional:
            call = "" if each.default_factory is dataclasses.MISSING else "()"
            source = f"{source} if '{name}' in fields else default_{name}{call}"
        pieces.append(source)
    made: Callable[[Dict[str, Any]], T] = eval(f"lambda fields: kind({', '.join(pieces)})", scope)
    return made


def _converted(name: str, source: str, convert: Callable[[Any], Any]) -> str:
    """Returns the code that converts a value; `name` is that of the function. What is frequent is written out."""
    if convert is time:
        return f"(from_timestamp({source} / 1000, utc) if {source} < {_TIMES_END} else latest)"
    if convert is bool:
        return f"{source} != 0"
    return f"{name}[{source}]" if isinstance(convert, _Members) else f"{name}({source})"


_SCOPE = {"from_timestamp": _from_timestamp, "utc": _UTC, "latest": LATEST, "new": object.__new__}


class _LazyTime:
    """A time of an answer. It is made of its milliseconds when it is first read, because a `datetime` takes as long as
    the rest of a small answer. `__get__` then stores it as an attribute of the answer, which Python reads instead."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, answer: Any, owner: Any = None) -> Any:
        members = {} if answer is None else vars(answer)
        if f"_{self.name}" not in members:
            raise AttributeError(self.name)
        members[self.name] = made = time(members[f"_{self.name}"])
        return made


def answer_reader(layout: Layout, kind: Type[T]) -> Reader:
    """Returns a function that makes a value of a dataclass from the bytes of an answer.

    The function sets the members of an answer without tags directly; one with tags is first read as fields.
    """
    lines, scope = fixed_reader(layout)
    hints = typing.get_type_hints(kind, vars(sys.modules[kind.__module__]))
    scope.update(_SCOPE, kind=kind, reader=reader(kind))
    fixed = [name for name, _ in layout.fixed]
    lines += ["if at != end:", "    fields = {" + ", ".join(f"'{name}': v_{name}" for name in fixed) + "}",
              "    tags(data, at, end, fields)", "    return reader(fields)"]
    # Its members are set here: a call of `__init__` costs as much as all the reading.
    lines.append("value = new(kind)")
    row: Any = kind
    for each in dataclasses.fields(row):
        name, convert, source = each.name, _converter(hints[each.name]), f"v_{each.name}"
        if name in fixed and convert is time:
            setattr(kind, name, _LazyTime(name))
            name = f"_{name}"
        elif name not in fixed:
            if each.default_factory is dataclasses.MISSING:
                continue  # the class has the default
            scope[f"default_{name}"] = each.default_factory
            source = f"default_{name}()"
        elif convert is not None:
            scope[f"convert_value_{name}"] = convert
            source = _converted(f"convert_value_{name}", source, convert)
        lines.append(f"value.{name} = {source}")
    made: Reader = compiled("read(data, at, end)", [*lines, "return value"], scope)
    return made


def mapping_rows(mapping: Dict[str, str], field: str) -> List[Dict[str, str]]:
    """Returns the rows `key` and `value` of a mapping, ascending by key."""
    if not hasattr(mapping, "items"):
        raise invalid(field, "a mapping is needed")
    return [{"key": key, "value": mapping[key]} for key in sorted(mapping)]
