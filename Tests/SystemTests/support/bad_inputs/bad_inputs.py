"""The table of bad inputs: what a peer can do to the server, and how the server must respond.

Each row has a `Kind`; a kind can have several rows. A row is bytes that are sent in a phase, or a small function if
bytes are not enough.
"""
from __future__ import annotations

import signal
from typing import Dict, List

from support.bad_inputs.bad_input_actions import (after_reset, conflict, connect_and_reset, half_close, half_frame,
                                                  idle_connections, in_pieces, largest_id, longest_names,
                                                  million_frames, never_reading, past_not_after, pings_without_pause,
                                                  same_key_from_fifty, same_token_in_batch, short_deadlines, signalled,
                                                  token_of_another_app, unknown_opcodes, registration_times, wrong_keys)
from support.bad_inputs.bad_input_kinds import Kind
from support.clients.raw_connection import raw_frame
from support.clients.requests import (ANSWERED, BAD_ID, CLOSED, FRAMING, TIMEOUT, TOO_LARGE, WRONG_PHASE, Refused, Row,
                                      auth, batch, hello, invalid, lookup, malformed, ping, preface, register,
                                      register_payload, send, tag, tags)
from support.environment import APP, crln

encode, uvarint = crln.encode, crln.uvarint

HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9)
KAFKA = bytes.fromhex("0000001400120003000000010005") + b"kafka" + bytes(5)
DEEP = b'{"a":' * 600 + b"1" + b"}" * 600
APP_BYTES = APP.encode()

ROWS: List[Row] = [
    Row(Kind.TLS, "TLS ClientHello", "preface", bytes.fromhex("16030100c8010000c40303") + bytes(194), CLOSED),
    Row(Kind.TLS, "TLS alert", "preface", bytes.fromhex("15030300020228"), CLOSED),
    Row(Kind.OTHER_PROTOCOL, "HTTP/1.1", "preface", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", CLOSED),
    Row(Kind.OTHER_PROTOCOL, "HTTP/2", "preface", HTTP2, CLOSED),
    Row(Kind.OTHER_PROTOCOL, "Kafka ApiVersions", "preface", KAFKA, CLOSED),
    Row(Kind.OTHER_PROTOCOL, "Redis PING", "preface", b"*1\r\n$4\r\nPING\r\n", CLOSED),
    Row(Kind.PREFACE_IN_PIECES, "preface in 16 writes", "preface", in_pieces(preface() + hello(), 0.02), ANSWERED),
    Row(Kind.PREFACE_IN_PIECES, "preface in 16 writes, 1 s apart", "preface", in_pieces(preface(), 1), CLOSED),
    Row(Kind.SILENCE, "preface and then nothing", "preface", preface(), TIMEOUT),
    Row(Kind.SILENCE, "nothing at all", "preface", b"", CLOSED),
    Row(Kind.SILENCE, "HELLO and then nothing", "auth", b"", TIMEOUT),
    Row(Kind.VERSION, "versions 9 to 9", "preface", preface(9, 9), Refused("UNSUPPORTED_VERSION", "connection")),
    Row(Kind.VERSION, "versions 2 to 1", "preface", preface(2, 1), FRAMING),
    Row(Kind.VERSION, "versions 0 to 1", "preface", preface(0, 1), FRAMING),
    *(Row(Kind.VERSION, f"reserved byte {at} set", "preface", preface(reserved=bytes(at) + b"\1" + bytes(5 - at)),
          FRAMING)
      for at in range(6)),
    *(Row(Kind.MAGIC, f"bit {bit} of the magic flipped", "preface",
          (int.from_bytes(preface(), "big") ^ 1 << 127 - bit).to_bytes(16, "big"), CLOSED) for bit in range(64)),
    *(Row(Kind.LONG_FRAME, f"length {length:#x}", phase, raw_frame(b"", 0x10, 3, length=length), TOO_LARGE)
      for length in (0xFFFFFFFF, 1 << 31, (1 << 20) + 1) for phase in ("hello", "auth", "open")),
    Row(Kind.LONG_FRAME, "length 4,097 before HELLO", "hello", raw_frame(b"", 1, 1, length=4097), TOO_LARGE),
    Row(Kind.LONG_FRAME, "length 4,097 before AUTH", "auth", raw_frame(b"", 2, 2, length=4097), TOO_LARGE),
    *(Row(Kind.NO_PAYLOAD, f"no payload for opcode {opcode:#x}", "open", raw_frame(b"", opcode, 3), malformed(field))
      for opcode, field in ((0x10, "app"), (0x11, "items"), (0x12, "app"), (0x13, "app"), (0x50, "app"), (0x51, "app"),
                            (0x52, "app"))),
    Row(Kind.NO_PAYLOAD, "no payload for HELLO", "hello", raw_frame(b"", 1, 1), malformed("software")),
    Row(Kind.NO_PAYLOAD, "no payload for AUTH", "auth", raw_frame(b"", 2, 2), malformed("method")),
    Row(Kind.HALF_FRAME, "half a frame and FIN", "open", half_frame("fin")),
    Row(Kind.HALF_FRAME, "half a frame and RST", "open", half_frame("rst")),
    Row(Kind.HALF_FRAME, "half a frame and silence", "open", register()[:30], TIMEOUT),
    Row(Kind.SLOW_HEADER, "a header of one byte each 900 ms", "open", in_pieces(register(), 0.9), TIMEOUT),
    Row(Kind.SLOW_PAYLOAD, "a payload of one byte a second", "open", register()[:16], TIMEOUT),
    Row(Kind.SLOW_PAYLOAD, "a payload in slow bytes", "open", in_pieces(send(b"{" + b" " * 4000 + b"}"), 0.5), TIMEOUT),
    Row(Kind.IDLE_CONNECTIONS, "10,000 connections that say nothing", "", idle_connections),
    Row(Kind.RESET_CONNECTIONS, "5,000 connections that are reset", "", connect_and_reset),
    Row(Kind.EARLY_END, "half-close with 1 request out", "open", half_close(1)),
    Row(Kind.EARLY_END, "half-close with 1,000 requests out", "open", half_close(1_000)),
    Row(Kind.EARLY_END, "half-close with 5,000 requests out", "open", half_close(5_000)),
    Row(Kind.EARLY_END, "RST with 500 requests out", "open", after_reset),
    Row(Kind.NEVER_READING, "a client that never reads", "open", never_reading),
    *(Row(Kind.FRAME_KIND, f"kind {kind}", "open", raw_frame(b"", 0x13, 3, kind=kind), FRAMING)
      for kind in (0, 6, 255)),
    *(Row(Kind.KIND_OF_SERVER, f"kind {kind} from a client", "open", raw_frame(b"", 0x13, 3, kind=kind), FRAMING)
      for kind in (2, 3, 4)),
    *(Row(Kind.FLAGS, f"flags {flags:#x} of a request", "open", raw_frame(register_payload(), 0x10, 3, flags=flags),
          FRAMING)
      for flags in (2, 4, 8, 15)),
    *(Row(Kind.FLAGS, f"flags {flags:#x} of PING", "open", ping(flags=flags), FRAMING) for flags in (2, 4, 8)),
    Row(Kind.FLAGS, "layout 2 of REGISTER", "open", raw_frame(register_payload(), 0x10, 3, flags=0x10),
        Refused("UNSUPPORTED_VERSION", "request")),
    Row(Kind.FLAG_OF_PING, "flag 1 of a request", "open", raw_frame(register_payload(), 0x10, 3, flags=1), FRAMING),
    Row(Kind.FLAG_OF_SEND, "flag 2 of SEND", "open", send()[:5] + b"\2" + send()[6:], FRAMING),
    Row(Kind.UNKNOWN_OPCODE, "an unknown opcode", "open", raw_frame(b"", 0x0FFF, 3),
        Refused("UNSUPPORTED_OPCODE", "request")),
    Row(Kind.UNKNOWN_OPCODE, "very many unknown opcodes", "open", unknown_opcodes),
    Row(Kind.PRIVATE_OPCODE, "an opcode of private use", "open", raw_frame(b"x", 0x7001, 3),
        Refused("UNSUPPORTED_OPCODE", "request")),
    Row(Kind.ZERO_ID, "request id 0", "open", lookup(0), BAD_ID),
    Row(Kind.ZERO_ID, "request id 0 of HELLO", "hello", hello(0), BAD_ID),
    Row(Kind.USED_ID, "a repeated id", "open", lookup(2), BAD_ID),
    Row(Kind.USED_ID, "a smaller id", "open", lookup(1), BAD_ID),
    Row(Kind.LARGEST_ID, "the largest id and one after it", "open", largest_id),
    Row(Kind.DEADLINE, "deadlines of 0, 1 and 2³²−1 ms", "open", short_deadlines),
    Row(Kind.MORE_BYTES, "bytes after the tagged section", "open", register(tail=b"\0\0"), malformed()),
    Row(Kind.TAG_COUNT, "2³²−1 tags with 3 bytes left", "open", register(tail=b"\xff\xff\xff\xff\x0f\1\1\1"),
        malformed()),
    Row(Kind.TAGS, "tags out of order", "open", register(tail=tags(b"\2", tag(20, b"UTC"), tag(18, b"de"))),
        malformed()),
    Row(Kind.TAGS, "a tag twice", "open", register(tail=tags(b"\2", tag(18, b"de"), tag(18, b"de"))), malformed()),
    Row(Kind.TAGS, "a tag past the end", "open", register(tail=b"\1\x12\x7fde"), malformed()),
    Row(Kind.TAGS, "a number not in its shortest form", "open", register(tail=b"\1\x92\0\2de"), malformed()),
    Row(Kind.TAGS, "a number of 6 bytes", "open", register(tail=b"\1\x92\x80\x80\x80\x80\0\2de"), malformed()),
    Row(Kind.TAGS, "65 tags", "open",
        register(tail=b"\x41" + b"".join(uvarint(100 + 2 * i) + b"\0" for i in range(65))),
        malformed()),
    Row(Kind.EVEN_TAG, "an unknown even tag", "open", register(tail=tags(b"\1", tag(100, b"x"))), ANSWERED),
    Row(Kind.ODD_TAG, "an unknown odd tag", "open", register(tail=tags(b"\1", tag(101, b"x"))),
        Refused("UNSUPPORTED_FIELD", "request")),
    Row(Kind.TAG_OF_HELLO, "a tag on HELLO", "hello", hello(unknown=[(101, b"x"), (102, b"y")]), ANSWERED),
    *(Row(Kind.STRING, f"app that is {name}", "open", register(app=app), expected) for name, app, expected in (
        ("not UTF-8", b"\xff\xfe", malformed("app")), ("overlong", b"\xc0\xaf", malformed("app")),
        ("a surrogate", b"\xed\xa0\x80", malformed("app")), ("cut short", b"a\xe2\x82", malformed("app")),
        ("above U+10FFFF", b"\xf4\x90\x80\x80", malformed("app")), ("with U+0000", b"com\0a", malformed("app")),
        ("a byte order mark", b"\xef\xbb\xbf", invalid("app")), ("65,535 bytes", b"a" * 65_535, invalid("app")),
        ("156 bytes", b"a" * 156, invalid("app")), ("nothing", b"", invalid("app")))),
    Row(Kind.STRING, "a str past the end", "open", raw_frame(b"\xff\xff" + APP_BYTES, 0x10, 3), malformed("app")),
    Row(Kind.LIST, "a list longer than the payload", "open", batch([], count=1 << 30), malformed("items")),
    Row(Kind.LIST, "a list of 2³²−1 items", "open", batch([], count=(1 << 32) - 1), malformed("items")),
    Row(Kind.BATCH, "a batch of nothing", "open", batch([]), invalid("items")),
    Row(Kind.BATCH, "a batch of 1,001", "open", batch([register_payload()] * 1_001), invalid("items")),
    Row(Kind.BATCH, "a batch of one token 1,000 times", "open", same_token_in_batch),
    Row(Kind.TOKEN, "a token of 0 bytes", "open", register(token=b""), malformed("token")),
    Row(Kind.TOKEN, "the token of another app", "open", token_of_another_app),
    Row(Kind.PHASE, "REGISTER before HELLO", "hello", register(1), WRONG_PHASE),
    Row(Kind.PHASE, "SEND before AUTH", "auth", send(id=2), WRONG_PHASE),
    Row(Kind.PHASE, "a second HELLO", "open", hello(3), WRONG_PHASE),
    Row(Kind.PHASE, "a second AUTH", "open", auth(id=3), WRONG_PHASE),
    Row(Kind.PHASE, "a second preface", "open", preface(), TOO_LARGE),
    Row(Kind.AUTHENTICATION, "three wrong keys", "auth", wrong_keys),
    Row(Kind.AUTHENTICATION, "an unknown method", "auth", auth(method=2), invalid("method")),
    Row(Kind.AUTHENTICATION, "an empty key", "auth", auth(b""), invalid("credential")),
    Row(Kind.AUTHENTICATION, "a key of 257 bytes", "auth", auth(b"k" * 257), invalid("credential")),
    Row(Kind.CONTENT, "a payload of 4,097 bytes", "open", send(b"{" + b" " * 4_095 + b"}"),
        Refused("TOO_LARGE", "request", "payload")),
    *(Row(Kind.CONTENT, f"a payload that is {name}", "open", send(payload), invalid("payload")) for name, payload in (
        ("no JSON", b"hello"), ("cut short", b'{"a":'), ("an array", b"[]"), ("nothing", b""),
        ("of a duplicate name", b'{"a":1,"a":2}'), ("of a name twice after escapes", b'{"a":1,"\\u0061":2}'),
        ("600 deep", DEEP), ("4,096 brackets", b"[" * 4096), ("a lone surrogate", b'{"a":"\\ud800"}'),
        ("not UTF-8", b'{"a":"\xff"}'), ("with a byte order mark", b'\xef\xbb\xbf{}'))),
    Row(Kind.CONTENT, "an expiration in 1970", "open", send(expiration=1), ANSWERED),
    Row(Kind.CONTENT, "an expiration in the year 9999", "open", send(expiration=253_402_300_799), ANSWERED),
    Row(Kind.CONTENT, "an expiration of 2⁶⁴−1", "open", send(expiration=(1 << 64) - 1), ANSWERED),
    Row(Kind.CONTENT, "priority 255", "open", send(priority=255), invalid("priority")),
    Row(Kind.CONTENT, "priority 0", "open", send(priority=0), ANSWERED),
    Row(Kind.CONTENT, "a collapse id of 65 bytes", "open", send(collapse_id="c" * 65), invalid("collapse_id")),
    *(Row(Kind.CONTENT, f"{name} in a collapse id", "open", send(collapse_id=f"a{letter}b"), expected)
      for name, letter, expected in (("CR", "\r", invalid("collapse_id")), ("LF", "\n", invalid("collapse_id")),
                                     ("NUL", "\0", malformed("collapse_id")))),
    *(Row(Kind.CONTENT, f"{name} in the app", "open", send(app=f"com{letter}x"), expected)
      for name, letter, expected in (("CR LF", "\r\n", invalid("app")), ("NUL", "\0", malformed("app")))),
    Row(Kind.KEY_OF_OTHER_BODY, "a key with another body", "open", conflict),
    Row(Kind.KEY_AT_ONCE, "a key from 50 connections", "open", same_key_from_fifty),
    Row(Kind.LATE_MESSAGE, "a message past its time", "open", past_not_after),
    Row(Kind.PING, "PINGs without a pause", "open", pings_without_pause),
    Row(Kind.PING, "a PING of 7 bytes", "open", raw_frame(bytes(7), 3, 0, kind=5), FRAMING),
    Row(Kind.PING, "a PING with an id", "open", raw_frame(bytes(8), 3, 9, kind=5), FRAMING),
    Row(Kind.PING, "ACKs without a PING", "open", ping(flags=1) * 100, ANSWERED),
    Row(Kind.TINY_FRAMES, "10⁶ tiny frames", "open", million_frames),
    Row(Kind.EMPTY_ITEMS, "1 MiB of items without bytes", "open", batch([b""] * 262_143), invalid("items")),
    Row(Kind.EMPTY_ITEMS, "1,000 items without bytes", "open", batch([b""] * 1_000), ANSWERED),
    Row(Kind.SEEN_AT, "times that are earlier, the same and far ahead", "open", registration_times),
    Row(Kind.LONGEST_NAMES, "the longest app and tokens", "open", longest_names),
    Row(Kind.SIGNAL, "SIGPIPE", "open", signalled(signal.SIGPIPE)),
    Row(Kind.SIGNAL, "SIGSTOP, 3 s, SIGCONT", "open", signalled(signal.SIGSTOP, signal.SIGCONT, pause=3)),
]

# The kinds of which other tests have the bad inputs, and what those tests are.
ELSEWHERE: Dict[Kind, str] = {
    Kind.CERTIFICATE:
        "test_listening: certificates expired, of tomorrow, of the wrong use, of another authority, of unknown names",
    Kind.AFTER_GOAWAY: "test_lifecycle: requests after GOAWAY",
    Kind.CLOCK: "test_clock: steps of two hours and ten years, forwards and back",
}
