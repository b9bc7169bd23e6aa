"""The valid frames: how a case is added."""
from typing import Any, Dict, List, Tuple

import crln
from cases.samples import APP, Case, LONG_NAME, MAX64

valid: Dict[str, List[Case]] = {}


def frame(file: str, name: str, *, section: str, sender: str, message: str, fields: Dict[str, Any], id: int = 3,
          **options: Any) -> None:
    """Adds a case to valid/<file>.json. Options: opcode (of errors), flags, unknown (tags), raw (payload to decode)."""
    unknown: List[Tuple[int, bytes]] = sorted(options.get("unknown", ()))
    layout = crln.LAYOUTS[sender][message]
    opcode = options.get("opcode", layout.opcode)
    flags = options.get("flags", 0)
    id = 0 if layout.kind == crln.CONTROL else id
    data = crln.encode(sender, message, fields, id, opcode=opcode, flags=flags, unknown=unknown)
    if "raw" in options:
        data = crln.HEADER.pack(len(options["raw"]), layout.kind, flags, opcode, id) + options["raw"]
    case = {"name": name, "section": section, "from": sender, "hex": data.hex(),
            "frame": {"kind": layout.kind, "flags": flags, "opcode": opcode, "id": str(id)},
            "message": message, "fields": crln.fields_to_json(layout, fields)}
    if unknown:
        case["unknown_tags"] = [{"tag": tag, "hex": raw.hex()} for tag, raw in unknown]
    if "raw" in options:
        case["decode_only"] = True
    valid.setdefault(file, []).append(case)


def ignored(name: str, *, section: str, sender: str, kind: int, flags: int, opcode: int, payload: str,
            id: int = 0) -> None:
    """Adds a frame that its receiver ignores."""
    data = crln.HEADER.pack(len(payload) // 2, kind, flags, opcode, id).hex() + payload
    valid.setdefault("control", []).append({
        "name": name, "section": section, "from": sender, "hex": data,
        "frame": {"kind": kind, "flags": flags, "opcode": opcode, "id": str(id)}, "message": "ignored", "fields": {},
        "decode_only": True})


def decoded(file: str, name: str, *, section: str, message: str, fields: Dict[str, Any], payload: bytes) -> None:
    """Adds a form of a request that readers accept and writers do not choose."""
    frame(file, name, section=section, sender="client", message=message, fields=fields, raw=payload)


def listings(file: str, *, message: str, section: str, column: str, rows: List[Any]) -> None:
    """Adds the cases of a listing by name: GROUPS, TOPICS or GROUP_TOPICS."""
    title = message.upper()
    given = {"group": "user/42"} if message == "group_topics" else {"prefix": ""}

    def ask(name: str, **options: Any) -> None:
        frame(file, f"{title} {name}", section=section, sender="client", message=message,
              fields={"app": APP, **given, "after": "", "limit": 1000, **options})

    ask("from the start")
    ask("one by one", after="user/41", limit=1)
    ask("after 200 bytes", after=LONG_NAME, deadline_ms=3)
    if message != "group_topics":
        ask("of a prefix", prefix="user/")
        ask("of the longest prefix, which need not be a name", prefix="/ü" * 66 + "ab")

    def page(name: str, following: str, found: List[Any]) -> None:
        frame(file, f"{title} answered, {name}", section=section, sender="server", message=message,
              fields={"next": following, column: found})

    page("nothing", "", [])
    page("the last page", "", rows)
    page("more to come", LONG_NAME, rows[:1])


def device_pages(file: str, *, message: str, section: str, **named: Any) -> None:
    title = message.upper()
    for case, options in (("from the start", {"cursor": 0, "limit": 1000}), ("one by one", {"cursor": 43, "limit": 1}),
                          ("with the largest cursor", {"cursor": MAX64, "limit": 500, "deadline_ms": 4})):
        frame(file, f"{title} {case}", section=section, sender="client", message=message,
              fields={"app": APP, **named, **options})
    for case, following, devices in (("nothing", 0, []), ("the last page", 0, [42]),
                                     ("more to come", MAX64, [1, 42, 2**52 - 1])):
        frame(file, f"{title} answered, {case}", section=section, sender="server", message=message,
              fields={"next": following, "devices": devices})
