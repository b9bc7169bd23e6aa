#!/usr/bin/env python3
"""Makes what fuzzing begins with, from Protocol/vectors, from log-forms.json, and from HTTP/2 frames, answers and
records spelled out here. The exit status is 1 if an operation has no seed of a request or of an answer.

    Tests/Corpus/seeds.py FOLDER   writes the seeds into the folder, one folder for each target
    Tests/Corpus/seeds.py --check  writes nothing

`Tools/prove fuzz --corpus` minimises the seeds into this folder. The first bytes of a seed are choices that its target
reads: Tools/carillon-fuzz says which, and the enums here have the names and numbers of its option sets.
"""
import enum
import hashlib
import json
import pathlib
import struct
import sys
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
PROTOCOL = HERE.parents[1] / "Protocol"
VECTORS = PROTOCOL / "vectors"
# The seeds of each target.
SEEDS: dict = {}


def seed(target: str, *parts: bytes) -> None:
    """Adds a seed, which is the parts in a row."""
    SEEDS.setdefault(target, set()).add(b"".join(parts))


def stream_seed(target: str, behaviour: int, cuts: int, *parts: bytes) -> None:
    """Adds a seed of a target that reads a stream: how its side behaves, the number that decides how the stream is cut
    (its low byte; 0 is not at all), and the stream."""
    seed(target, bytes([behaviour, cuts & 0xFF]), *parts)


def write(folder: pathlib.Path) -> None:
    """Writes each seed into the folder of its target, in a file with its hash as the name."""
    for target, seeds in SEEDS.items():
        (folder / target).mkdir(parents=True, exist_ok=True)
        for data in seeds:
            (folder / target / hashlib.sha1(data).hexdigest()).write_bytes(data)


def load(folder: str) -> list:
    """Returns the cases of a folder of the vectors."""
    cases = []
    for file in sorted((VECTORS / folder).glob("*.json")):
        content = json.loads(file.read_text())
        cases += content if isinstance(content, list) else [content]
    return cases


# -------------------------------------------------------------------------------------- our own protocol

HEADER = struct.Struct(">IBBHQ")


class FrameKind(enum.IntEnum):
    """The kinds of frames (Protocol 3)."""
    REQUEST = 1
    ANSWER = 2
    ERROR = 3
    EVENT = 4
    CONTROL = 5


# Opcodes of single frames; the others come from layouts.json.
AUTH, PING, GOAWAY = 0x02, 0x03, 0x04


class Header(NamedTuple):
    """The header of a frame."""
    length: int
    kind: int
    flags: int
    opcode: int
    id: int


def header_of(frame: bytes) -> Header:
    """Returns the header at the front of a frame."""
    return Header(*HEADER.unpack_from(frame))


def renumbered(frame: bytes, id: int) -> bytes:
    """Returns the frame with another request id."""
    return HEADER.pack(*header_of(frame)._replace(id=id)) + frame[HEADER.size:]


def first_frame(cases: list, sender: str, message: str) -> bytes:
    """Returns the first frame of a message in the vectors."""
    return next(bytes.fromhex(case["hex"]) for case in cases if case["from"] == sender and case["message"] == message)


def opcodes() -> dict:
    """Returns the opcodes of the operations by their names, in the order of `Opcode.served`: the target of frames
    chooses the decoder by the index in it."""
    requests = json.loads((PROTOCOL / "layouts.json").read_text())["requests"]
    return {request["name"]: request["opcode"] for request in sorted(requests, key=lambda row: row["opcode"])}


# Both sessions have six bits of behaviour.
ALL_SESSION_BEHAVIOURS = range(64)


def server_sessions(valid: list, invalid: list) -> None:
    """Seeds for the server's session: each invalid case in its phase, each valid request, and pipelines of requests
    with each behaviour of the server."""
    preface = bytes.fromhex("c343524c4e0d0a1a0101000000000000")
    hello = renumbered(first_frame(valid, "client", "hello"), 1)
    auth = renumbered(first_frame(valid, "client", "auth"), 2)
    before = {"preface": b"", "hello": preface, "auth": preface + hello, "open": preface + hello + auth}
    for case in invalid:
        stream_seed("server-session", 0, 0, before[case["phase"]], bytes.fromhex(case["hex"]))
    pipeline = b""
    for number, case in enumerate(case for case in valid if case["from"] == "client"):
        frame = bytes.fromhex(case["hex"])
        header = header_of(frame)
        # HELLO and AUTH are no part of an open session.
        if header.kind == FrameKind.REQUEST and header.opcode > AUTH:
            pipeline += renumbered(frame, 100 + number)
        stream_seed("server-session", 0, number, before["open"], frame)
    for behaviour in ALL_SESSION_BEHAVIOURS:
        stream_seed("server-session", behaviour, behaviour, before["open"], pipeline[: 600 * (behaviour % 4 + 1)])


class ClientBehaviour(enum.IntFlag):
    """The bits of `ClientSessionTarget.Behaviour` that are used here."""
    HAS_KEY = 1
    MAKES_REQUESTS = 2


def client_sessions(valid: list) -> None:
    """Seeds for the client's session: each frame of a server, as the answer to a request of the target and alone."""
    welcome = renumbered(first_frame(valid, "server", "hello"), 1)
    identity = renumbered(first_frame(valid, "server", "auth"), 2)
    ping = HEADER.pack(8, FrameKind.CONTROL, 0, PING, 0) + bytes(8)
    preface = bytes.fromhex("c343524c4e0d0a1a0100000000000000")
    # The client makes a request after each frame, so the pings let it make some.
    opened = preface + welcome + identity + ping * 4
    by_name = opcodes()
    # The operations that the target's client asks for, in turn; the answer of each gets one of the ids from 3 on.
    asked = ["message_status", "message_outcomes", "unregister", "subscribe_events", "lookup"]
    ids = {by_name[name]: id for id, name in enumerate(asked, start=3)}
    subscription = ids[by_name["subscribe_events"]]
    with_requests = ClientBehaviour.HAS_KEY | ClientBehaviour.MAKES_REQUESTS
    for number, frame in enumerate(bytes.fromhex(case["hex"]) for case in valid if case["from"] == "server"):
        header = header_of(frame)
        expected = frame
        if header.kind in (FrameKind.ANSWER, FrameKind.ERROR, FrameKind.EVENT):
            expected = renumbered(frame, ids.get(header.opcode, 3))
        if header.kind == FrameKind.EVENT:
            expected = renumbered(first_frame(valid, "server", "subscribe_events"), subscription) + expected
        behaviour = number % len(ALL_SESSION_BEHAVIOURS) | ClientBehaviour.MAKES_REQUESTS
        stream_seed("client-session", with_requests, number, opened, expected)
        stream_seed("client-session", behaviour, number, opened, expected * 3)
        stream_seed("client-session", with_requests, 0, frame)


class Selector(enum.IntFlag):
    """The first byte for the target of frames. The index of the operation begins at bit 2 of a request or answer."""
    REQUEST = 0
    ANSWER = 1
    ERROR = 2
    EVENT = 2 | 4
    CONTROL = 3
    GOAWAY = 3 | 4
    CONTROL_FLAG = 8


def frames(valid: list, invalid: list) -> None:
    """Seeds for the target of frames: the payload of each frame of the vectors. Exits if an operation has no seed."""
    by_name = opcodes()
    indices = {opcode: index for index, opcode in enumerate(by_name.values())}
    messages = {FrameKind.REQUEST: Selector.REQUEST, FrameKind.ANSWER: Selector.ANSWER}
    missing = {(kind, opcode) for kind in messages for opcode in indices}
    whole_headers = [case for case in invalid if len(case["hex"]) >= 2 * HEADER.size]
    for case in valid + whole_headers:
        frame = bytes.fromhex(case["hex"])
        header, payload = header_of(frame), frame[HEADER.size:]
        if header.kind in messages and header.opcode in indices:
            seed("frames", bytes([messages[header.kind] | indices[header.opcode] << 2]), payload)
            missing.discard((header.kind, header.opcode))
        elif header.kind == FrameKind.ERROR:
            seed("frames", bytes([Selector.ERROR]), payload)
        elif header.kind == FrameKind.EVENT:
            seed("frames", bytes([Selector.EVENT]), payload)
        elif header.kind == FrameKind.CONTROL:
            selector = Selector.GOAWAY if header.opcode == GOAWAY else Selector.CONTROL
            seed("frames", bytes([selector | (Selector.CONTROL_FLAG if header.flags & 1 else 0)]), payload)
    if missing:
        names = {opcode: name for name, opcode in by_name.items()}
        sys.exit("no seed: " + ", ".join(f"{names[opcode]}, {FrameKind(kind).name.lower()}"
                                         for kind, opcode in sorted(missing)))


def payloads(valid: list) -> None:
    """Seeds for the reader of a push's JSON: the payloads of the vectors and some that are at the edge. The first byte
    chooses the push type."""
    texts = {bytes.fromhex(case["fields"]["payload"]) for case in valid if "payload" in case["fields"]}
    texts |= {
        b'{"aps":{"content-available":1},"a":[1,-2.5e-3,true,null,{"b":"\\u00e9\\ud83d\\ude00\\n"}]}',
        b'{"aps":{"timestamp":1,"event":"update","content-state":{}}}', b'{"mdm":"x"}',
        b'{"aps":{"content-changed":true}}',
        b'{"container-identifier":"a","domain":"b"}', b'{"a":1,"a":2}', b'{"a":"\\ud800"}', b'{"a":1e999}',
        b'{"\xc3\xa9":1,"e\xcc\x81":2}', b"{}", b"[]", b'{"a":' * 33 + b"1" + b"}" * 33,
    }
    for number, text in enumerate(sorted(texts)):
        seed("payload", bytes([number % 11]), text)


# -------------------------------------------------------------------------------------- HTTP/2 (RFC 9113)

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING_FRAME, GOAWAY_FRAME, WINDOW_UPDATE, CONTINUATION = \
    range(10)
UNKNOWN_TYPE = 0xFA
END_STREAM, ACK, END_HEADERS, PADDED, HAS_PRIORITY = 0x01, 0x01, 0x04, 0x08, 0x20
HEADER_TABLE_SIZE, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE = 1, 3, 4
NO_ERROR, REFUSED_STREAM, CANCEL = 0, 7, 8


class HTTP2Behaviour(enum.IntFlag):
    """The bits of the behaviour of the HTTP/2 targets that are used here. Bit 2 is another one in each: the client
    cancels, and the server answers late."""
    GREETS = 1
    HAS_BODIES = 2
    CANCELS_OR_ANSWERS_LATE = 4
    ALL = 63


def http2_frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Returns a frame of HTTP/2."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def headers(fields: bytes, ends: bool = True, stream: int = 1) -> bytes:
    """HEADERS with all fields of a message; without a body if `ends`."""
    return http2_frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, fields)


def body(content: bytes, ends: bool = True) -> bytes:
    """DATA on stream 1."""
    return http2_frame(DATA, END_STREAM if ends else 0, 1, content)


def reset(code: int) -> bytes:
    """RST_STREAM on stream 1."""
    return http2_frame(RST_STREAM, 0, 1, struct.pack(">I", code))


def setting(id: int, value: int) -> bytes:
    """SETTINGS with one setting."""
    return http2_frame(SETTINGS, 0, 0, struct.pack(">HI", id, value))


def go_away(last_stream: int, code: int, debug_data: bytes) -> bytes:
    """GOAWAY."""
    return http2_frame(GOAWAY_FRAME, 0, 0, struct.pack(">II", last_stream, code) + debug_data)


def window_update(stream: int, increment: int) -> bytes:
    """WINDOW_UPDATE; stream 0 is the connection."""
    return http2_frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", increment))


def literal(name: str, value: str) -> bytes:
    """Returns a header field that HPACK neither compresses nor stores; lengths below 127."""
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def status(code: str) -> bytes:
    """Returns the header field `:status`."""
    return b"\x88" if code == "200" else b"\x08" + bytes([len(code)]) + code.encode()


def http2_answers() -> list:
    """Returns what a server may send to a client with requests on streams 1 and 3: whole answers first, then other
    frames, some of which are not allowed."""
    delivered = headers(status("200") + literal("apns-id", "0"))
    refused = headers(status("410"), ends=False) + body(b'{"reason":"Unregistered","timestamp":1790000000000}')
    busy = headers(status("503") + literal("retry-after", "7"))
    return [
        delivered, refused, busy,
        headers(status("103"), ends=False) + delivered,
        http2_frame(HEADERS, 0, 1, status("400")) + http2_frame(CONTINUATION, END_HEADERS, 1, literal("a", "b")),
        headers(status("500"), ends=False) + body(b"x" * 4000, ends=False) + body(b"y" * 4000),
        headers(status("200"), ends=False) + headers(literal("trailer", "t")),
        reset(REFUSED_STREAM), reset(NO_ERROR),
        setting(MAX_CONCURRENT_STREAMS, 1), setting(INITIAL_WINDOW_SIZE, 1), setting(HEADER_TABLE_SIZE, 0),
        http2_frame(SETTINGS, ACK, 0),
        http2_frame(PING_FRAME, 0, 0, bytes(8)), http2_frame(PING_FRAME, ACK, 0, struct.pack(">Q", 7)),
        go_away(1, NO_ERROR, b'{"reason":"Shutdown"}'), go_away(0, NO_ERROR, b"z" * 2000),
        window_update(0, 65535), window_update(1, 2**31 - 1),
        http2_frame(PUSH_PROMISE, END_HEADERS, 1, struct.pack(">I", 2)),
        http2_frame(PRIORITY, 0, 1, bytes(5)),
        http2_frame(UNKNOWN_TYPE, 0xFF, 3, b"unknown"),
        http2_frame(DATA, PADDED | END_STREAM, 1, b"\x02ab\0\0"),
    ]


# The fields of a request: POST, https, :authority a.b, :path, the topic.
REQUEST_FIELDS = b"\x83\x87\x41\x03a.b\x44\x0d/3/device/00ff" + literal("apns-topic", "a.b")


def http2_requests() -> list:
    """Returns what a client may send to a server: whole requests first, then some that end early or are not allowed."""
    return [
        headers(REQUEST_FIELDS),
        headers(REQUEST_FIELDS, ends=False) + body(b'{"aps":{}}'),
        http2_frame(HEADERS, 0, 1, REQUEST_FIELDS[:7]) + http2_frame(CONTINUATION, END_HEADERS, 1, REQUEST_FIELDS[7:]),
        headers(REQUEST_FIELDS, ends=False) + body(b"x" * 9000, ends=False) + body(b"y" * 100),
        headers(REQUEST_FIELDS + literal("x", "y") * 70),
        http2_frame(HEADERS, HAS_PRIORITY | END_HEADERS | END_STREAM, 1, bytes(5) + REQUEST_FIELDS),
        headers(REQUEST_FIELDS, ends=False) + reset(CANCEL),
        headers(REQUEST_FIELDS, ends=False) + headers(literal("trailer", "t")),
        b"".join(headers(REQUEST_FIELDS, stream=stream) for stream in range(1, 25, 2)),
        http2_frame(PRIORITY, 0, 5, struct.pack(">IB", 3, 9)) + headers(REQUEST_FIELDS, stream=5),
    ]


def http2() -> None:
    """Seeds for both ends of HTTP/2: each answer to a client; each request and each answer to a server."""
    greets, every = HTTP2Behaviour.GREETS, HTTP2Behaviour.ALL
    with_bodies = greets | HTTP2Behaviour.HAS_BODIES
    answers = http2_answers()
    kind_and_flags, fields = answers[0][:5], answers[0][9:]
    on_stream_3 = kind_and_flags + struct.pack(">I", 3) + fields
    for number, frame in enumerate(answers):
        for behaviour in (greets, with_bodies, every, number & every):
            stream_seed("http2-client", behaviour, number * behaviour, frame, on_stream_3, frame)
    late = with_bodies | HTTP2Behaviour.CANCELS_OR_ANSWERS_LATE
    for number, frame in enumerate(http2_requests() + answers):
        before = headers(REQUEST_FIELDS) if number % 2 else b""
        for behaviour in (greets, with_bodies, late, every, number & every):
            stream_seed("http2-server", behaviour, number * behaviour, before, frame)
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + setting(INITIAL_WINDOW_SIZE, 100)
    stream_seed("http2-server", 0, 0, preface, headers(REQUEST_FIELDS))


# -------------------------------------------------------------------------------------- APNs and the registry

# The bit in the third byte for the target of APNs answers: the answer has a `retry-after`.
HAS_RETRY_AFTER = 1


def apns_answer(code: int, flags: int, retry_after_seconds: int, content: bytes) -> None:
    """Adds an answer of APNs, of which the stream has ended well."""
    seed("apns-answer", struct.pack(">HBI", code, flags, retry_after_seconds), content)


def apns_answers() -> None:
    """Seeds for the adapter of APNs: its reasons with changing statuses, and bodies that it does not send."""
    reasons = [
        "BadDeviceToken", "Unregistered", "ExpiredToken", "DeviceTokenNotForTopic", "PayloadTooLarge", "BadTopic",
        "TopicDisallowed",
        "BadCollapseId", "Forbidden", "IdleTimeout", "ExpiredProviderToken", "TooManyProviderTokenUpdates",
        "InvalidProviderToken", "TooManyRequests", "InternalServerError", "ServiceUnavailable", "Shutdown", "Something",
    ]
    for number, reason in enumerate(reasons):
        code = [400, 403, 410, 413, 429, 500, 503][number % 7]
        content = json.dumps({"reason": reason, "timestamp": 1790000000000}).encode()
        apns_answer(code, HAS_RETRY_AFTER if number % 2 else 0, number, content)
    for code, content in [(200, b""), (0, b""), (301, b"<html>"), (410, b'{"timestamp":-1}'),
                          (410, b'{"timestamp":1e400}'),
                          (410, b'{"reason":7,"timestamp":1.5}'), (500, b'{"reason":"' + b"x" * 200 + b'"}')]:
        apns_answer(code, HAS_RETRY_AFTER, 2**32 - 1, content)


# The steps of a corruption, as `Corruption.read` numbers them.
FLIP, CUT, REPLACE, REMOVE, ADD = range(5)
# More tables than the registry has; the numbers beyond the last begin anew.
TABLES = 24


def registry() -> None:
    """Seeds for the corrupted registry: the cursor of a page (with an odd one bulk ingest comes first), and
    corruptions, each of a row of a table."""
    seed("registry", bytes([0, 0]))
    for table in range(TABLES):
        for row in range(3):
            cursor = bytes([0, row])
            offset, mask = row * 7, 0xFF
            seed("registry", cursor, bytes([table, row, FLIP, offset, mask]))
            seed("registry", cursor, bytes([table, row, CUT, 1]), bytes([table, row, REMOVE]))
        key, value = bytes(11) + b"\x01", b"\x01\x00\x01\x07\x09"
        seed("registry", bytes([0, 1]), bytes([table, 0, ADD, len(key) - 1]), key, bytes([len(value)]), value)
    # A page with fewer recipients than its message counts, asked for from the middle.
    count = b"\x01\x00\x00"
    seed("registry", bytes([0, 1]), bytes([7, 0, REPLACE, len(count)]), count, bytes([8, 0, REPLACE, 0]))


def log() -> None:
    """Seeds for the codec of the write-ahead log: each form alone, and three in a row."""
    forms = [bytes.fromhex(form["hex"]) for form in json.loads((HERE / "log-forms.json").read_text())]
    for number, form in enumerate(forms):
        seed("log", form)
        seed("log", form, forms[number - 1], forms[number // 2])


def main() -> None:
    """Makes all seeds, and writes them if a folder is named."""
    if len(sys.argv) != 2:
        sys.exit("usage: seeds.py FOLDER | --check")
    valid, invalid = load("valid"), load("invalid")
    server_sessions(valid, invalid)
    client_sessions(valid)
    frames(valid, invalid)
    payloads(valid)
    http2()
    apns_answers()
    registry()
    log()
    if sys.argv[1] != "--check":
        write(pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()
