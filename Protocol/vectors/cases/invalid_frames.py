"""Frames whose form is invalid, or that come in the wrong phase."""
from typing import Optional

import crln
from cases.invalid_cases import SOUND, bad, bad_payload, payload_of
from cases.samples import APP, BY_ID, MAX32


def invalid_prefaces() -> None:
    magic = "c343524c4e0d0a1a"
    for index in range(8):
        changed = bytearray.fromhex(magic)
        changed[index] ^= 0x20
        bad("preface", f"magic with byte {index} changed", section="2", phase="preface",
            data=changed.hex() + "0101" + "00" * 6, code=None)
    for name, data in (
            ("an HTTP request", b"GET / HTTP/1.1\r\n"), ("the HTTP/2 preface", b"PRI * HTTP/2.0\r\n"),
            ("a Redis command", b"*1\r\n$4\r\nPING\r\n\r\n"), ("zeros", bytes(16)),
            ("a TLS handshake", bytes.fromhex("16030100c8010000c40303aabbccddee"))):
        bad("preface", name, section="2", phase="preface", data=data.hex(), code=None)
    for name, tail in (
            ("lowest above highest", "0201000000000000"), ("lowest 0", "0001000000000000"),
            ("both 0", "0000000000000000"), ("reserved byte 10", "0101010000000000"),
            ("reserved byte 11", "0101000100000000"), ("reserved byte 12", "0101000001000000"),
            ("reserved byte 15", "0101000000000001"), ("reserved byte and no common version", "0203000000000001")):
        bad("preface", name, section="2", phase="preface", data=magic + tail, code="MALFORMED", scope="connection")
    bad("preface", "only version 2", section="2", phase="preface", data=magic + "0202000000000000",
        code="UNSUPPORTED_VERSION", scope="connection")
    bad("preface", "versions 2 to 255", section="2", phase="preface", data=magic + "02ff000000000000",
        code="UNSUPPORTED_VERSION", scope="connection")


def invalid_framing() -> None:
    # length | kind | flags | opcode | id
    def header(name: str, data: str, code: str, *, scope: str = "connection", phase: str = "open",
               section: str = "3.1") -> None:
        bad("framing", name, section=section, phase=phase, data=data, code=code, scope=scope)

    header("length above the limit", "00100001 01 00 0013 0000000000000003", "FRAME_TOO_LARGE")
    header("the largest length", "ffffffff 01 00 0013 0000000000000003", "FRAME_TOO_LARGE")
    header("length above the limit of the hello phase", "00001001 01 00 0001 0000000000000001", "FRAME_TOO_LARGE",
           phase="hello")
    header("length above the limit of the auth phase", "00001001 01 00 0002 0000000000000002", "FRAME_TOO_LARGE",
           phase="auth")
    header("length above the limit before kind", "ffffffff 09 ff ffff 0000000000000000", "FRAME_TOO_LARGE")
    header("length above the limit of a control frame", "00100001 05 00 0003 0000000000000000", "FRAME_TOO_LARGE")
    for kind in (0, 2, 3, 4, 6, 127, 255):
        header(f"kind {kind} from a client", f"00000000 {kind:02x} 00 0013 0000000000000003", "MALFORMED")
    header("kind 2 in the hello phase", "00000000 02 00 0001 0000000000000001", "MALFORMED", phase="hello")
    header("kind before flags and id", "00000000 00 0f 0013 0000000000000000", "MALFORMED")
    for flags in (1, 2, 4, 8, 0x0F, 0x11):
        header(f"flags {flags:#04x} of a request", f"00000000 01 {flags:02x} 0013 0000000000000003", "MALFORMED")
    header("flags of a request before its id", "00000000 01 02 0013 0000000000000000", "MALFORMED")
    for flags in (2, 3, 4, 8):
        header(f"flags {flags:#04x} of PING", f"00000008 05 {flags:02x} 0003 0000000000000000 0102030405060708",
               "MALFORMED")
    header("ACK on an unknown control frame", "00000000 05 01 00ff 0000000000000000", "MALFORMED")
    header("ACK on GOAWAY", "00000000 05 01 0004 0000000000000000", "MALFORMED")
    header("PING with an id", "00000008 05 00 0003 0000000000000001 0102030405060708", "MALFORMED")
    header("PING with ACK and an id", "00000008 05 01 0003 0000000000000003 0102030405060708", "MALFORMED")
    header("an unknown control frame with an id", "00000000 05 00 00ff 0000000000000003", "MALFORMED")
    header("GOAWAY with an id", "00000000 05 00 0004 0000000000000003", "MALFORMED")
    for size in (0, 1, 7, 9, 16):
        header(f"PING of {size} bytes", f"{size:08x} 05 00 0003 0000000000000000" + "ab" * size, "MALFORMED",
               section="6.3")
    for size in (0, 7, 9):
        header(f"POSITION of {size} bytes", f"{size:08x} 05 00 0005 0000000000000000" + "ab" * size, "MALFORMED",
               section="6.5")
    header("POSITION with an id", "00000008 05 00 0005 0000000000000001 0102030405060708", "MALFORMED")
    header("ACK on POSITION", "00000008 05 01 0005 0000000000000000 0102030405060708", "MALFORMED")
    header("PING with a tagged section", "00000009 05 00 0003 0000000000000000 0102030405060708 00", "MALFORMED",
           section="6.3")
    header("PING with ACK of 7 bytes", "00000007 05 01 0003 0000000000000000 01020304050607", "MALFORMED",
           section="6.3")
    header("PING of 7 bytes in the hello phase", "00000007 05 00 0003 0000000000000000 01020304050607", "MALFORMED",
           phase="hello", section="6.3")
    header("id 0", "00000000 01 00 0013 0000000000000000", "BAD_REQUEST_ID")
    header("id 0 in the hello phase", "00000000 01 00 0001 0000000000000000", "BAD_REQUEST_ID", phase="hello")
    header("id of HELLO again in the auth phase", "00000000 01 00 0002 0000000000000001", "BAD_REQUEST_ID",
           phase="auth")
    header("id of AUTH again", "00000000 01 00 0013 0000000000000002", "BAD_REQUEST_ID")
    header("a smaller id", "00000000 01 00 0013 0000000000000001", "BAD_REQUEST_ID")
    header("id before phase", "00000000 01 00 0001 0000000000000002", "BAD_REQUEST_ID")
    header("id before opcode and layout", "00000000 01 f0 ffff 0000000000000000", "BAD_REQUEST_ID")
    for opcode in (0x0000, 0x0003, 0x0004, 0x0005, 0x0018, 0x0027, 0x0034, 0x0041, 0x0057, 0x0064, 0x0072, 0x7000,
                   0xFFFF):
        header(f"opcode {opcode:#06x} in a request", f"00000000 01 00 {opcode:04x} 0000000000000003",
               "UNSUPPORTED_OPCODE", scope="request")
    header("opcode before layout", "00000002 01 10 00ff 0000000000000003 0000", "UNSUPPORTED_OPCODE", scope="request")
    for flags in (0x10, 0x20, 0xF0):
        header(f"layout {(flags >> 4) + 1} of LOOKUP", f"00000000 01 {flags:02x} 0013 0000000000000003",
               "UNSUPPORTED_VERSION", scope="request")
    header("layout 2 of HELLO", "00000000 01 10 0001 0000000000000001", "UNSUPPORTED_VERSION", scope="request",
           phase="hello")
    header("layout 2 of AUTH", "00000000 01 10 0002 0000000000000002", "UNSUPPORTED_VERSION", scope="request",
           phase="auth")


def invalid_phases() -> None:
    sound = {message: payload_of(message).hex() for message in crln.OPCODES}

    def early(name: str, message: str, *, phase: str, id: int, flags: int = 0, payload: Optional[str] = None) -> None:
        body = sound[message] if payload is None else payload
        data = crln.HEADER.pack(len(body) // 2, 1, flags, crln.OPCODES[message], id).hex() + body
        bad("phases", name, section="5", phase=phase, data=data, code="WRONG_PHASE", scope="connection")

    early("AUTH before HELLO", "auth", phase="hello", id=1)
    early("REGISTER before HELLO", "register", phase="hello", id=1)
    early("SEND before HELLO", "send", phase="hello", id=1)
    early("a second HELLO in the auth phase", "hello", phase="auth", id=2)
    for message in sorted(set(crln.OPCODES) - {"hello", "auth"}):
        early(f"{message.upper()} before AUTH", message, phase="auth", id=2)
    early("a second HELLO", "hello", phase="open", id=3)
    early("a second AUTH", "auth", phase="open", id=3)
    early("phase before layout", "lookup", phase="auth", id=2, flags=0x10)
    early("phase before payload", "lookup", phase="auth", id=2, payload="")
    bad("phases", "phase before opcode", section="5", phase="hello", data="00000000 01 00 00ff 0000000000000001",
        code="WRONG_PHASE", scope="connection")
    bad("phases", "PING as a request before HELLO", section="5", phase="hello",
        data="00000000 01 00 0003 0000000000000001", code="WRONG_PHASE", scope="connection")


def invalid_truncated() -> None:
    """Cuts each field of each request short by a byte, and leaves it out."""
    for message in crln.OPCODES:
        layout = crln.FROM_CLIENT[message]
        before = b""
        for name, part in layout.fixed.items():
            whole = part.write(SOUND[message].fields[name])
            bad_payload(message, f"that ends before {name}", before, "MALFORMED", field=name)
            if len(whole) > 1:
                bad_payload(message, f"that ends within {name}", before + whole[:-1], "MALFORMED", field=name,
                            item=CUT_ITEMS.get((message, name)))
            before += whole
        bad_payload(message, "with a byte left over", before + b"\0\0", "MALFORMED", section="4.2")


# The item of a list that is cut short by a byte, for lists that the count alone does not refuse.
CUT_ITEMS = {("send", "devices"): 0, ("register_batch", "items"): 0, ("join", "devices"): 0, ("leave", "devices"): 0,
             ("subscribe", "topics"): 0, ("subscribe", "devices"): 0, ("subscribe", "groups"): 0,
             ("unsubscribe", "topics"): 0, ("unsubscribe", "devices"): 0, ("unsubscribe", "groups"): 0,
             ("subscribe_events", "apps"): 0, ("receipts", "receipts"): 0}


def invalid_sections() -> None:
    def tags(name: str, data: str, code: str = "MALFORMED", *, field: Optional[str] = None, message: str = "register",
             section: str = "4.2") -> None:
        payload = payload_of(message) + bytes.fromhex(data)
        bad_payload(message, f"with {name}", payload, code, field=field, section=section, file="tags")

    tags("a count and no tag", "01")
    tags("a tag and no size", "01 12")
    tags("a size and no value", "01 12 02")
    tags("a value cut short", "01 12 02 64")
    tags("a size past the end", "01 12 ff01 64")
    tags("the largest size", "01 12 ffffffff0f 64")
    tags("a byte after the empty section", "00 00")
    tags("a byte after the last tag", "01 12 02 6465 00")
    tags("fewer tags than counted", "02 12 02 6465")
    tags("more tags than counted", "01 12 02 6465 14 01 5a")
    tags("65 tags", "41" + "".join(f"{tag:02x}00" for tag in range(0, 128, 2)) + "800100")
    tags("a count of 65 and nothing else", "41")
    tags("the largest count", "ffffffff0f")
    for name, form in (("of two bytes not shortest", "8000"), ("1 not shortest", "8100"),
                       ("of five bytes not shortest", "8080808000"), ("of 6 bytes", "808080808001"),
                       ("of 6 bytes, all ones", "ffffffffffff"), ("of 2³²", "8080808010"),
                       ("above 32 bits", "ffffffff1f"), ("cut short", "80"), ("cut short after 4 bytes", "ffffffff")):
        tags(f"a count {name}", form)
        tags(f"a tag {name}", "01" + form + ("" if "cut short" in name else "00"))
        tags(f"a size {name}", "0112" + form)
    tags("tags out of order", "02 14 01 5a 12 02 6465")
    tags("a tag twice", "02 12 02 6465 12 02 6672")
    tags("an unknown even tag twice", "02 16 00 16 00")
    tags("unknown tags out of order", "02 18 00 16 00")
    tags("tag 0 twice", "02 00 00 00 00")
    tags("tags out of order before unknown odd tags", "02 1b 00 12 02 6465")
    tags("a tag cut short before an unknown odd tag", "02 0f 00 14 05 5a")
    for tag, form in ((1, "01"), (3, "03"), (15, "0f"), (27, "1b"), (29, "1d"), (65537, "818004"),
                      (MAX32, "ffffffff0f")):
        tags(f"the unknown odd tag {tag}", f"01 {form} 00", "UNSUPPORTED_FIELD")
    tags("an unknown odd tag before known ones", "03 0f 01 00 12 02 6465 14 01 5a", "UNSUPPORTED_FIELD")
    for message in crln.OPCODES:
        if message != "hello":
            tags("the unknown odd tag 127", "01 7f 00", "UNSUPPORTED_FIELD", message=message)
        tags("tags in no order", "02 04 00 02 04 00000001", message=message)
        tags("a deadline of 3 bytes", "01 02 03 000001", "MALFORMED", field="deadline_ms", message=message,
             section="16.2")
    tags("a deadline of 0 bytes", "01 02 00", "MALFORMED", field="deadline_ms", section="16.2")
    tags("a deadline of 5 bytes", "01 02 05 0000000001", "MALFORMED", field="deadline_ms", section="16.2")
    tags("replaces of 0 bytes", "01 11 00", "MALFORMED", field="replaces", section="7.1")
    tags("replaces of 256 bytes", "01 11 8002" + "ab" * 256, "MALFORMED", field="replaces", section="7.1")
    for tag, name in ((0x11, "expiration"), (0x15, "not_after")):
        tags(f"{name} of 7 bytes", f"01 {tag:02x} 07 00000000000001", "MALFORMED", field=name, message="send",
             section="10.1")
        tags(f"{name} of 9 bytes", f"01 {tag:02x} 09 000000000000000001", "MALFORMED", field=name, message="send",
             section="10.1")
        tags(f"{name} of 0 bytes", f"01 {tag:02x} 00", "MALFORMED", field=name, message="send", section="10.1")
    tags("lane of 0 bytes", "01 16 00", "MALFORMED", field="lane", message="send", section="10.1")
    tags("lane of 2 bytes", "01 16 02 0001", "MALFORMED", field="lane", message="send", section="10.1")


def invalid_precedence() -> None:
    def first(message: str, name: str, payload: bytes, code: str, *, field: Optional[str] = None,
              item: Optional[int] = None) -> None:
        bad_payload(message, name, payload, code, field=field, item=item, section="15.1", file="precedence")

    first("register", "with app empty and a section cut short", payload_of("register", app="") + b"\1", "MALFORMED")
    first("register", "with app empty and an unknown odd tag", payload_of("register", app="") + b"\1\x1b\0",
          "UNSUPPORTED_FIELD")
    first("register", "with a bad locale and an unknown odd tag", payload_of("register") + b"\2\x12\1\xff\x1b\0",
          "MALFORMED", field="locale")
    first("register", "with two bad values of tags", payload_of("register") + b"\2\x11\0\x12\1\xff", "MALFORMED",
          field="replaces")
    first("register", "with a bad tag value and a section cut short", payload_of("register") + b"\2\x11\0\x12\5de",
          "MALFORMED")
    first("register", "with app, environment and kind wrong", payload_of("register", app="", environment=0, kind=0),
          "INVALID_ARGUMENT", field="app")
    first("register", "with environment and locale wrong", payload_of("register", environment=9, locale="x"),
          "INVALID_ARGUMENT", field="environment")
    first("register", "with locale and time_zone wrong", payload_of("register", locale="x", time_zone=" "),
          "INVALID_ARGUMENT", field="locale")
    first("register", "with environment wrong and an empty token", crln.STR.write(APP) + b"\0\1\0" + bytes(8),
          "MALFORMED", field="token")
    first("unregister", "with app empty and an unknown device form", b"\0\0\3" + bytes(16), "MALFORMED", field="device")
    first("send", "with push_type and priority wrong", payload_of("send", push_type=0, priority=3), "INVALID_ARGUMENT",
          field="push_type")
    first("send", "with priority and devices wrong", payload_of("send", priority=3, devices=[]), "INVALID_ARGUMENT",
          field="priority")
    two_wrong = [BY_ID, {"token": {"environment": 0, "kind": 1, "token": b"t"}},
                 {"token": {"environment": 1, "kind": 0, "token": b"t"}}]
    first("send", "with two devices wrong", payload_of("send", devices=two_wrong), "INVALID_ARGUMENT", field="devices",
          item=1)
    first("send", "with devices and payload wrong", payload_of("send", devices=[], payload=b"x"), "INVALID_ARGUMENT",
          field="devices")
    first("send", "with payload and lane wrong", payload_of("send", payload=b"x", lane=0), "INVALID_ARGUMENT",
          field="payload")
    first("send", "with payload too large and lane wrong", payload_of("send", payload=b"x" * 4097, lane=0),
          "INVALID_ARGUMENT", field="lane")
    first("send", "with collapse_id and lane wrong", payload_of("send", collapse_id="", lane=0), "INVALID_ARGUMENT",
          field="collapse_id")
    first("send", "with payload too large and an unknown odd tag",
          payload_of("send", payload=b"x" * 4097) + b"\1\x7f\0",
          "UNSUPPORTED_FIELD")
    first("auth", "with method and credential wrong", payload_of("auth", method=0, credential=b""), "INVALID_ARGUMENT",
          field="method")
    first("hello", "with software and receive_limit wrong", payload_of("hello", software="", receive_limit=1),
          "INVALID_ARGUMENT", field="software")
