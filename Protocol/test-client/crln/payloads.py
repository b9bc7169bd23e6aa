"""Payloads of frames: their fixed parts and their tags (§4)."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Tuple

from crln.errors import ProtocolError
from crln.names import REQUEST
from crln.operations import Layout
from crln.rules import check_request
from crln.value_types import PayloadReader, UnreadableValue, uvarint


def encode_payload(layout: Layout, fields: Dict[str, Any], unknown: Iterable[Tuple[int, bytes]] = ()) -> bytes:
    """Returns the fixed part and the tagged section. A section of no fields is left out.

    `check_request` judges the values.
    """
    payload = b"".join(part.write(fields[name]) for name, part in layout.fixed.items())
    tags = [(tag, part.to_tag(fields[name])) for tag, (name, part) in layout.tags.items() if name in fields]
    tags = sorted([*tags, *unknown])
    if not tags:
        return payload
    section = b"".join(uvarint(tag) + uvarint(len(raw)) + raw for tag, raw in tags)
    return payload + uvarint(len(tags)) + section


def decode_payload(layout: Layout, payload: bytes) -> Tuple[Dict[str, Any], List[Tuple[int, bytes]]]:
    """Returns the fields and the skipped tags of a payload.

    Faults in their order: the form, then unknown odd tags, then (of a request) the values.
    """
    if layout.untagged and len(payload) != 8:
        raise ProtocolError("MALFORMED", "connection")
    data = PayloadReader(payload)
    fields: Dict[str, Any] = {}
    for name, part in layout.fixed.items():
        try:
            fields[name] = part.read(data)
        except UnreadableValue as fault:
            raise ProtocolError("MALFORMED", "request", name, fault.item) from None
    unknown: List[Tuple[int, bytes]] = []
    for tag, raw in _section(data):
        if tag not in layout.tags:
            unknown.append((tag, raw))
            continue
        name, part = layout.tags[tag]
        try:
            fields[name] = part.from_tag(raw)
        except UnreadableValue as fault:
            raise ProtocolError("MALFORMED", "request", name, fault.item) from None
    if layout.kind == REQUEST:
        if layout.message != "hello" and any(tag % 2 for tag, _ in unknown):
            raise ProtocolError("UNSUPPORTED_FIELD", "request")
        check_request(layout.message, fields)
    return fields, unknown


def _section(data: PayloadReader) -> List[Tuple[int, bytes]]:
    """Reads the tagged section, which must end with the payload."""
    entries: List[Tuple[int, bytes]] = []
    try:
        count = data.uvarint() if data.left else 0
        if count > 64:
            raise UnreadableValue
        for _ in range(count):
            tag = data.uvarint()
            if entries and tag <= entries[-1][0]:
                raise UnreadableValue
            entries.append((tag, data.take(data.uvarint())))
        if data.left:
            raise UnreadableValue
    except UnreadableValue:
        raise ProtocolError("MALFORMED", "request") from None
    return entries


def fields_to_json(layout: Layout, fields: Dict[str, Any]) -> Dict[str, Any]:
    """Returns fields in the form of ../../vectors/README.md."""
    return {name: part.to_json(fields[name]) for name, part in layout.parts().items() if name in fields}


def fields_from_json(layout: Layout, fields: Dict[str, Any]) -> Dict[str, Any]:
    """Reverses `fields_to_json`. KeyError for a name that the layout does not have."""
    return {name: layout.parts()[name].from_json(value) for name, value in fields.items()}
