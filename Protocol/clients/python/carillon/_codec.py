"""Bytes and the values of messages (§3, §4 of the protocol), without connections.

Values are those of Python: numbers are `int`; `str` and `topic` are `str`; `bytes`, `token`, `uuid` and `data8` are
`bytes`; a `device` is the `bytes` of its form; a struct is a dictionary. The fields of a message are a dictionary; a
tag that is absent is not in it. For each message a reader and a writer are made at their first use from the table of
its fields, as straight code: that is several times faster than walking the table for each frame.
"""
from __future__ import annotations

import enum
import struct
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import _layouts as layouts
from ._layouts import Fields, Tags
from ._types import (FORMATS, PREFIXES, RAW_SIZES, SIZES, UNWRITABLE, MalformedError, as_bytes, raw_reader, raw_writer,
                     read_uvarint, reader, tag_reader, tag_writer, uvarint, write_text, writer)

MAGIC = bytes.fromhex("c343524c4e0d0a1a")
REQUEST, ANSWER, ERROR, EVENT, CONTROL = 1, 2, 3, 4, 5
ACK = 1
NEVER = 2**32 - 1
MAXIMUM_TAGS = 64
# Combinations of fields that a layout remembers.
MAXIMUM_SHAPES = 256
HEADER = struct.Struct(">IBBHQ")
Values = Dict[str, Any]
# What makes the value of an answer from bytes between two offsets.
Reader = Callable[[bytes, int, int], Any]


class Layout:
    """The fields of one message. `read` and `write` are made at their first use."""

    def __init__(self, fixed: Fields, tags: Tags = (), has_section: bool = True) -> None:
        self.fixed, self.tags, self.has_section = fixed, tags, has_section
        self.fixed_count = len(fixed)
        self.names = {name for name, _ in fixed} | {name for _, name, _ in tags}
        # By the names of the fields that are given: a program gives the same ones again and again.
        self._tag_writers: Dict[Tuple[str, ...], Callable[[Values], Tuple[int, bytes]]] = {}
        self._tag_readers: Optional[Dict[int, Tuple[str, Callable[[bytes], Any]]]] = None
        # `read(data, at=0, end=None, unknown=None)`, `write_fixed(values)`, and `write_values`, which takes the values
        # of the fixed part one by one. They are made at their first use, and not by `__getattr__`, which would make
        # each use slow.
        self.read: Callable[..., Values] = self._first_read
        self.write_fixed: Callable[[Values], bytes] = self._first_write
        self.write_values: Callable[..., bytes] = self._first_write_values

    def _first_read(self, *arguments: Any, **named: Any) -> Values:
        self.read = _compiled_reader(self)
        return self.read(*arguments, **named)

    def _first_write(self, values: Values) -> bytes:
        self.write_fixed = _compiled_writer(self.fixed, "write_fixed(values)", "values['{}']")
        return self.write_fixed(values)

    def _first_write_values(self, *values: Any) -> bytes:
        parameters = ", ".join(f"v_{name}" for name, _ in self.fixed)
        self.write_values = _compiled_writer(self.fixed, f"write_values({parameters})", "v_{}")
        return self.write_values(*values)

    def read_tags(self, data: bytes, at: int, end: int, values: Values,
                  unknown: Optional[List[Tuple[int, bytes]]] = None) -> None:
        """Reads the tagged section, from `at` to the end of the payload. Adds tags that are not known to `unknown`."""
        if self._tag_readers is None:
            self._tag_readers = {tag: (field, tag_reader(kind)) for tag, field, kind in self.tags}
        count, at = read_uvarint(data, at) if self.has_section and at < end else (0, at)
        if count > MAXIMUM_TAGS:
            raise MalformedError("too many tags")
        last = -1
        for _ in range(count):
            tag, at = read_uvarint(data, at)
            size, at = read_uvarint(data, at)
            behind = at + size
            if tag <= last or behind > end:
                raise MalformedError("tags out of order, or bytes are missing")
            last = tag
            known = self._tag_readers.get(tag)
            if known is not None:
                values[known[0]] = known[1](data[at:behind])
            elif unknown is not None:
                unknown.append((tag, data[at:behind]))
            at = behind
        if at != end:
            raise MalformedError("bytes are left over, or missing")

    def write_tags(self, values: Values) -> Tuple[int, bytes]:
        """Returns the number of the tags that are given, and their bytes without that number."""
        shape = tuple(values)
        write = self._tag_writers.get(shape)
        if write is None:
            if len(self._tag_writers) >= MAXIMUM_SHAPES:
                self._tag_writers.clear()
            write = self._tag_writers[shape] = _compiled_tag_writer(
                [each for each in sorted(self.tags) if each[1] in values])
        return write(values)

    def write(self, values: Values) -> Tuple[bytes, int, bytes]:
        """Returns the fixed part, the number of tags, and their bytes. UNWRITABLE for values that it cannot encode."""
        fixed: bytes = self.write_fixed(values)
        if len(values) == self.fixed_count:
            return fixed, 0, b""
        return (fixed, *self.write_tags(values))

    def field_at_fault(self, values: Values) -> Optional[str]:
        """Returns the first field that cannot be encoded; None if none of them alone is at fault."""
        for name in values:
            if name not in self.names:
                return name
        for name, kind in [*self.fixed, *((name, kind) for _, name, kind in self.tags if name in values)]:
            if kind == ("list", "device") and type(values[name]) is bytes:
                continue
            try:
                writer(kind)(values[name])
            except UNWRITABLE:
                return name
        return None


def compiled(name: str, lines: List[str], scope: Dict[str, Any]) -> Callable[..., Any]:
    """Returns the function of this name and parameters, of straight code."""
    exec("\n".join([f"def {name}:", *(f"    {line}" for line in lines)]), scope)
    made: Callable[..., Any] = scope[name.partition("(")[0]]
    return made


def _compiled_reader(layout: Layout) -> Callable[..., Values]:
    """Returns `read(data, at=0, end=None, unknown=None)`, which reads the payload between these offsets."""
    lines, scope = fixed_reader(layout)
    lines += ["values = {" + ", ".join(f"'{name}': v_{name}" for name, _ in layout.fixed) + "}",
              "if at != end: tags(data, at, end, values, unknown)", "return values"]
    return compiled("read(data, at=0, end=None, unknown=None)", ["if end is None: end = len(data)", *lines], scope)


def fixed_reader(layout: Layout) -> Tuple[List[str], Dict[str, Any]]:
    """Returns code that reads the fixed part of the payload `data[at:end]` into variables `v_FIELD`, and its scope.

    What follows must compare `at` with `end`: numbers are unpacked without a look at the end of the payload.
    """
    lines: List[str] = []
    scope: Dict[str, Any] = {"MalformedError": MalformedError, "tags": layout.read_tags}
    run: List[Tuple[str, str]] = []
    is_flat = all(isinstance(kind, str) and kind != "device" for _, kind in layout.fixed)
    if not is_flat:  # lists are bounded by the length of their bytes
        lines.append("data, at, end = data[at:end], 0, end - at")

    def end_run(extra: str = "") -> None:
        if not run and not extra:
            return
        packed = struct.Struct(">" + "".join(FORMATS[kind] for _, kind in run) + extra)
        scope[f"unpack{len(lines)}"] = packed.unpack_from
        names = [f"v_{name}" for name, _ in run] + (["size"] if extra else [])
        lines.append(f"{', '.join(names)}, = unpack{len(lines)}(data, at)")
        lines.append(f"at += {packed.size}")
        run.clear()

    for name, kind in layout.fixed:
        if isinstance(kind, str) and kind in FORMATS:
            run.append((name, kind))
        elif isinstance(kind, str) and (kind in PREFIXES or kind in RAW_SIZES):
            end_run(PREFIXES.get(kind, ""))
            lines += [f"stop = at + {RAW_SIZES.get(kind, 'size')}",
                      "if stop > end: raise MalformedError('bytes are missing')"]
            if kind == "token":
                lines.append("if size < 1: raise MalformedError('a token has 1 to 255 bytes')")
            scope[f"convert_{name}"] = raw_reader(kind)
            source = "data[at:stop]" if kind not in ("str", "topic") else f"convert_{name}(data[at:stop])"
            lines += [f"v_{name} = {source}", "at = stop"]
        else:
            end_run()
            scope[f"read_{name}"] = reader(kind)
            lines.append(f"v_{name}, at = read_{name}(data, at)")
    end_run()
    return lines, scope


def _compiled_tag_writer(tags: Sequence[Tuple[int, str, Any]]) -> Callable[[Values], Tuple[int, bytes]]:
    """Returns `write(values)` for fields that have all of these tags; it returns their number and their bytes."""
    lines: List[str] = []
    scope: Dict[str, Any] = {"uvarint": uvarint, "join": b"".join}
    pieces: List[str] = []
    for tag, name, kind in tags:
        if isinstance(kind, str) and kind in FORMATS and tag < 0x80:
            scope[f"pack{tag}"] = struct.Struct(">BB" + FORMATS[kind]).pack
            pieces.append(f"pack{tag}({tag}, {SIZES[kind]}, values['{name}'])")
        else:
            scope[f"write{tag}"] = tag_writer(kind)
            lines.append(f"r{tag} = write{tag}(values['{name}'])")
            pieces += [repr(uvarint(tag)), f"uvarint(len(r{tag}))", f"r{tag}"]
    written = pieces[0] if len(pieces) == 1 else f"join(({', '.join(pieces)},))" if pieces else "b''"
    return compiled("write(values)", [*lines, f"return {len(tags)}, {written}"], scope)


def _app_bytes(app: str) -> bytes:
    """Returns the `str` of an app with its length. A program has few apps, so they are remembered."""
    raw = write_text(app)
    if len(APPS) >= MAXIMUM_APPS:
        APPS.clear()
    APPS[app] = written = struct.pack(">H", len(raw)) + raw
    return written


# The apps that requests have named, as they write them.
APPS: Dict[str, bytes] = {}
MAXIMUM_APPS = 256


def _compiled_writer(fixed: Fields, head: str, value: str) -> Callable[..., bytes]:
    """Returns the function with this head that writes the fixed part; `value` is the code of a value, by its name."""
    lines: List[str] = []
    scope: Dict[str, Any] = {"MalformedError": MalformedError, "as_bytes": as_bytes, "apps": APPS,
                             "app_bytes": _app_bytes}
    pieces: List[str] = []
    run: List[Tuple[str, str]] = []

    def end_run() -> None:
        if run:
            scope[f"pack{len(pieces)}"] = struct.Struct(">" + "".join(format for format, _ in run)).pack
            pieces.append(f"pack{len(pieces)}({', '.join(number for _, number in run)})")
            run.clear()

    for index, (name, kind) in enumerate(fixed):
        if isinstance(kind, str) and kind in FORMATS:
            run.append((FORMATS[kind], value.format(name)))
            continue
        lines.append(f"r{index} = {value.format(name)}")
        if (name, kind) == ("app", "str"):
            lines.append(f"r{index} = apps.get(r{index}) or app_bytes(r{index})")
            end_run()
            pieces.append(f"r{index}")
            continue
        if kind in ("str", "topic"):  # as `write_text`
            lines += [f"if '\\0' in r{index}: raise MalformedError('a text with U+0000')",
                      f"r{index} = r{index}.encode()"]
        elif kind in PREFIXES and kind != "token" or kind in RAW_SIZES or kind == "device":
            lines.append(f"if type(r{index}) is not bytes: r{index} = as_bytes(r{index})")
        else:
            scope[f"raw{index}"] = raw_writer(kind) if kind == "token" else writer(kind)
            # A list of devices may be written already.
            condition = f" if type(r{index}) is not bytes else r{index}" if kind == ("list", "device") else ""
            lines.append(f"r{index} = raw{index}(r{index}){condition}")
        if isinstance(kind, str) and kind in PREFIXES:
            run.append((PREFIXES[kind], f"len(r{index})"))
        end_run()
        pieces.append(f"r{index}")
    end_run()
    if len(pieces) > 3:  # then one call is faster
        scope["join"] = b"".join
        lines.append(f"return join(({', '.join(pieces)}))")
    else:
        lines.append("return " + (" + ".join(pieces) or "b''"))
    return compiled(head, lines, scope)


class RepeatClass(enum.Enum):
    """What decides whether a request may be repeated after effect unknown (CONTRACT.md, RET-2)."""

    READ = "read"
    ALWAYS = "always"
    KEY = "key"
    TIME = "time"
    STATE = "state"
    CONNECTION = "connection"
    NEVER = "never"


class Operation:
    """One request of the protocol: its name, opcode, class (CONTRACT.md, RET-2), and the layouts of request and
    answer."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.opcode, repeat, request, answer = layouts.REQUESTS[name]
        self.repeat_class = RepeatClass(repeat)
        # The common tags are not here: the client adds the deadline to each attempt (`deadline_bytes`).
        self.request, self.answer = Layout(*request), Layout(*answer)

    def __repr__(self) -> str:
        return f"Operation({self.name!r})"


OPERATIONS: Dict[str, Operation] = {name: Operation(name) for name in layouts.REQUESTS}
EVENT_LAYOUT, GOAWAY_LAYOUT, ERROR_LAYOUT = Layout(*layouts.EVENT), Layout(*layouts.GOAWAY), Layout(*layouts.ERROR)
PING_LAYOUT = Layout(layouts.PING[0], (), has_section=False)
POSITION_LAYOUT = Layout(layouts.POSITION[0], (), has_section=False)
PREFACE = MAGIC + bytes([1, 1]) + bytes(6)
_DEADLINE = struct.Struct(">BBBI").pack


def frame(kind: int, opcode: int, id: int, payload: bytes, flags: int = 0) -> bytes:
    """Returns a whole frame."""
    return HEADER.pack(len(payload), kind, flags, opcode, id) + payload


# The bytes that the count of tags and tag 2 add to a request.
DEADLINE_SIZE = 7


def deadline_bytes(count: int, seconds: float) -> bytes:
    """Returns the number of tags, `count` and one, and tag 2, the lowest of all: how many seconds are left."""
    left = int(seconds * 1000)
    return _DEADLINE(count + 1, 2, 4, 1 if left < 1 else left if left < NEVER else NEVER)


def without_deadline(encoded: Tuple[bytes, int, bytes]) -> bytes:
    """Returns the payload of a request without common tags."""
    fixed, count, tags = encoded
    return fixed + uvarint(count) + tags if count else fixed


def ping_frame(data: bytes, flags: int = 0) -> bytes:
    """Returns a PING, or with the flag ACK the answer to one."""
    return frame(CONTROL, layouts.PING_OPCODE, 0, data, flags)


def position_frame(position: int) -> bytes:
    """Returns a POSITION."""
    return frame(CONTROL, layouts.POSITION_OPCODE, 0, position.to_bytes(8, "big"))


def check_header(length: int, kind: int, flags: int, opcode: int, id: int, maximum_bytes: int) -> None:
    """Raises MalformedError for the header of a frame that a server must not send (CON-8)."""
    if length > maximum_bytes:
        raise MalformedError(f"a frame of {length} bytes is above the limit of {maximum_bytes}")
    if not ANSWER <= kind <= CONTROL:
        raise MalformedError(f"a frame of kind {kind}")
    if flags & 0x0F and (flags, kind, opcode) != (ACK, CONTROL, layouts.PING_OPCODE):
        raise MalformedError(f"a frame with the flags {flags}")
    if (kind == CONTROL) == bool(id) and kind != ERROR:
        raise MalformedError(f"a frame of kind {kind} with the id {id}")
