#!/usr/bin/env python3
"""Makes what fuzzing begins with, from Protocol/vectors, from log-forms.json, and from HTTP/2 frames, answers and
records spelled out here. The exit status is 1 if an operation has no seed of a request or of an answer.

    Tests/Corpus/seeds.py FOLDER   writes the seeds into the folder, one folder for each target
    Tests/Corpus/seeds.py --check  writes nothing

`Tools/prove fuzz --corpus` minimises the seeds into this folder.
"""
import hashlib
import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROTOCOL = HERE.parents[1] / "Protocol"
VECTORS = PROTOCOL / "vectors"
# The seeds of each target.
SEEDS: dict = {}


def seed(target: str, *parts: bytes) -> None:
    """Adds a seed, which is the parts in a row."""
    SEEDS.setdefault(target, set()).add(b"".join(parts))


def write(folder: pathlib.Path) -> None:
    for target, seeds in SEEDS.items():
        (folder / target).mkdir(parents=True, exist_ok=True)
        for data in seeds:
            (folder / target / hashlib.sha1(data).hexdigest()).write_bytes(data)


def load(folder: str) -> list:
    """The cases of a folder of the vectors."""
    cases = []
    for file in sorted((VECTORS / folder).glob("*.json")):
        content = json.loads(file.read_text())
        cases += content if isinstance(content, list) else [content]
    return cases


def renumbered(frame: bytes, id: int) -> bytes:
    """The frame with another request id."""
    return frame[:8] + struct.pack(">Q", id) + frame[16:]


# -------------------------------------------------------------------------------------- our own protocol

def first_frame(cases: list, sender: str, message: str) -> bytes:
    """The first frame of a message in the vectors."""
    return next(bytes.fromhex(case["hex"]) for case in cases if case["from"] == sender and case["message"] == message)


def sessions(valid: list, invalid: list) -> None:
    preface = bytes.fromhex("c343524c4e0d0a1a0101000000000000")
    hello = renumbered(first_frame(valid, "client", "hello"), 1)
    auth = renumbered(first_frame(valid, "client", "auth"), 2)
    before = {"preface": b"", "hello": preface, "auth": preface + hello, "open": preface + hello + auth}
    for case in invalid:
        seed("server-session", bytes([0, 0]), before[case["phase"]], bytes.fromhex(case["hex"]))
    requests = b""
    for number, case in enumerate(case for case in valid if case["from"] == "client"):
        frame = bytes.fromhex(case["hex"])
        requests += renumbered(frame, 100 + number) if frame[4] == 1 and frame[7] > 2 else b""
        seed("server-session", bytes([0, number & 0xFF]), before["open"], frame)
    for behaviour in range(64):
        seed("server-session", bytes([behaviour, behaviour]), before["open"], requests[: 600 * (behaviour % 4 + 1)])

    welcome = renumbered(first_frame(valid, "server", "hello"), 1)
    identity = renumbered(first_frame(valid, "server", "auth"), 2)
    ping = bytes.fromhex("00000008050000030000000000000000") + bytes(8)
    opened = bytes.fromhex("c343524c4e0d0a1a0100000000000000") + welcome + identity + ping * 4
    # The ids under which the target's client asks first.
    ids = {0x51: 3, 0x52: 4, 0x12: 5, 0x60: 6, 0x13: 7}
    answers = [bytes.fromhex(case["hex"]) for case in valid if case["from"] == "server"]
    for number, frame in enumerate(answers):
        fitting = renumbered(frame, ids.get(frame[7], 3)) if frame[4] in (2, 3, 4) else frame
        if frame[4] == 4:
            fitting = renumbered(first_frame(valid, "server", "subscribe_events"), 6) + fitting
        seed("client-session", bytes([3, number & 0xFF]), opened, fitting)
        seed("client-session", bytes([number & 0x3F | 2, number & 0xFF]), opened, fitting * 3)
        seed("client-session", bytes([3, 0]), frame)


def served() -> dict:
    """The names of the operations by their opcodes, ascending: the order of `Opcode.served`, by whose index the target
    of frames chooses the decoder."""
    requests = json.loads((PROTOCOL / "layouts.json").read_text())["requests"]
    return {request["opcode"]: request["name"] for request in sorted(requests, key=lambda each: each["opcode"])}


def frames(valid: list, invalid: list) -> None:
    names = served()
    opcodes = list(names)
    lacking = {(kind, opcode) for kind in (1, 2) for opcode in opcodes}
    for case in valid + [case for case in invalid if len(case["hex"]) >= 32]:
        frame = bytes.fromhex(case["hex"])
        kind, flags, opcode = frame[4], frame[5], frame[7]
        if kind in (1, 2) and opcode in names:
            seed("frames", bytes([(kind - 1) | opcodes.index(opcode) << 2]), frame[16:])
            lacking.discard((kind, opcode))
        elif kind in (3, 4):
            seed("frames", bytes([2 if kind == 3 else 6]), frame[16:])
        elif kind == 5:
            seed("frames", bytes([3 | (4 if opcode == 4 else 0) | (flags & 1) << 3]), frame[16:])
    if lacking:
        sys.exit("no seed: " + ", ".join(f"{names[opcode]}, {'request' if kind == 1 else 'answer'}"
                                         for kind, opcode in sorted(lacking)))


def payloads(valid: list, invalid: list) -> None:
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


# -------------------------------------------------------------------------------------- HTTP/2

def h2(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """A frame of HTTP/2."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name: str, value: str) -> bytes:
    """A header field that HPACK neither compresses nor stores; lengths below 127."""
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def status(code: str) -> bytes:
    """The header field `:status`."""
    return b"\x88" if code == "200" else b"\x08" + bytes([len(code)]) + code.encode()


def http2() -> None:
    ok = h2(1, 5, 1, status("200") + literal("apns-id", "0"))
    bad = h2(1, 4, 1, status("410")) + h2(0, 1, 1, b'{"reason":"Unregistered","timestamp":1790000000000}')
    busy = h2(1, 5, 1, status("503") + literal("retry-after", "7"))
    answers = [
        ok, bad, busy, h2(1, 4, 1, status("103")) + ok, h2(1, 0, 1, status("400")) + h2(9, 4, 1, literal("a", "b")),
        h2(1, 4, 1, status("500")) + h2(0, 0, 1, b"x" * 4000) + h2(0, 1, 1, b"y" * 4000),
        h2(1, 4, 1, status("200")) + h2(1, 5, 1, literal("trailer", "t")), h2(3, 0, 1, struct.pack(">I", 7)),
        h2(3, 0, 1, struct.pack(">I", 0)), h2(4, 0, 0, struct.pack(">HI", 3, 1)), h2(4, 0, 0, struct.pack(">HI", 4, 1)),
        h2(4, 0, 0, struct.pack(">HI", 1, 0)), h2(4, 1, 0), h2(6, 0, 0, bytes(8)), h2(6, 1, 0, struct.pack(">Q", 7)),
        h2(7, 0, 0, struct.pack(">II", 1, 0) + b'{"reason":"Shutdown"}'),
        h2(7, 0, 0, struct.pack(">II", 0, 0) + b"z" * 2000), h2(8, 0, 0, struct.pack(">I", 65535)),
        h2(8, 0, 1, struct.pack(">I", 2**31 - 1)), h2(5, 4, 1, struct.pack(">I", 2)),
        h2(2, 0, 1, bytes(5)), h2(0xFA, 0xFF, 3, b"unknown"), h2(0, 9, 1, b"\x02ab\0\0"),
    ]
    later = answers[0][:5] + struct.pack(">I", 3) + answers[0][9:]
    for number, frame in enumerate(answers):
        for behaviour in (1, 3, 63, number & 63):
            seed("http2-client", bytes([behaviour, number * behaviour & 0xFF]), frame, later, frame)
    request = b"\x83\x87\x41\x03a.b\x44\x0d/3/device/00ff" + literal("apns-topic", "a.b")
    requests = [
        h2(1, 5, 1, request), h2(1, 4, 1, request) + h2(0, 1, 1, b'{"aps":{}}'),
        h2(1, 0, 1, request[:7]) + h2(9, 4, 1, request[7:]),
        h2(1, 4, 1, request) + h2(0, 0, 1, b"x" * 9000) + h2(0, 1, 1, b"y" * 100),
        h2(1, 5, 1, request + literal("x", "y") * 70), h2(1, 0x25, 1, bytes(5) + request),
        h2(1, 4, 1, request) + h2(3, 0, 1, struct.pack(">I", 8)),
        h2(1, 4, 1, request) + h2(1, 5, 1, literal("trailer", "t")),
        b"".join(h2(1, 5, stream, request) for stream in range(1, 25, 2)),
        h2(2, 0, 5, struct.pack(">IB", 3, 9)) + h2(1, 5, 5, request),
    ]
    for number, frame in enumerate(requests + answers):
        for behaviour in (1, 3, 7, 63, number & 63):
            seed("http2-server", bytes([behaviour, number * behaviour & 0xFF]),
                 h2(1, 5, 1, request) if number % 2 else b"", frame)
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + h2(4, 0, 0, struct.pack(">HI", 4, 100))
    seed("http2-server", bytes([0, 0]), preface, h2(1, 5, 1, request))


# -------------------------------------------------------------------------------------- APNs and the registry

def apns_answers() -> None:
    reasons = [
        "BadDeviceToken", "Unregistered", "ExpiredToken", "DeviceTokenNotForTopic", "PayloadTooLarge", "BadTopic",
        "TopicDisallowed",
        "BadCollapseId", "Forbidden", "IdleTimeout", "ExpiredProviderToken", "TooManyProviderTokenUpdates",
        "InvalidProviderToken", "TooManyRequests", "InternalServerError", "ServiceUnavailable", "Shutdown", "Something",
    ]
    for number, reason in enumerate(reasons):
        code = [400, 403, 410, 413, 429, 500, 503][number % 7]
        body = json.dumps({"reason": reason, "timestamp": 1790000000000}).encode()
        seed("apns-answer", struct.pack(">HBI", code, number & 1, number), body)
    for code, body in [(200, b""), (0, b""), (301, b"<html>"), (410, b'{"timestamp":-1}'),
                       (410, b'{"timestamp":1e400}'),
                       (410, b'{"reason":7,"timestamp":1.5}'), (500, b'{"reason":"' + b"x" * 200 + b'"}')]:
        seed("apns-answer", struct.pack(">HBI", code, 1, 2**32 - 1), body)


def registry() -> None:
    seed("registry", b"\0\0")
    for table in range(24):
        for row in range(3):
            seed("registry", bytes([0, row, table, row, 0, row * 7, 0xFF]))
            seed("registry", bytes([0, row, table, row, 1, 1]), bytes([table, row, 3]))
        seed("registry", bytes([0, 1, table, 0, 4, 11]), bytes(11) + b"\x01\x05", b"\x01\x00\x01\x07\x09")
    # A page with fewer recipients than its message counts, asked for from the middle.
    seed("registry", bytes([0, 1, 7, 0, 2, 3, 1, 0, 0, 8, 0, 2, 0]))


def log() -> None:
    forms = [bytes.fromhex(form["hex"]) for form in json.loads((HERE / "log-forms.json").read_text())]
    for number, form in enumerate(forms):
        seed("log", form)
        seed("log", form, forms[number - 1], forms[number // 2])


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: seeds.py FOLDER | --check")
    valid, invalid = load("valid"), load("invalid")
    sessions(valid, invalid)
    frames(valid, invalid)
    payloads(valid, invalid)
    http2()
    apns_answers()
    registry()
    log()
    if sys.argv[1] != "--check":
        write(pathlib.Path(sys.argv[1]))


main()
