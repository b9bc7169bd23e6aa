"""What the tests share: the vectors, and values to and from the JSON form of `Protocol/vectors/README.md`."""
from __future__ import annotations

import dataclasses
import json
import uuid
from datetime import datetime
from pathlib import Path
from typing import Any, Dict, List

from carillon import _codec as codec
from carillon._types import FORMATS
from carillon._values import milliseconds

CLIENT = Path(__file__).resolve().parent.parent
CLIENTS = CLIENT.parent
TESTING = CLIENTS / "testing"
ROOT = CLIENTS.parents[1]
VECTORS = CLIENTS.parent / "vectors"
APP = "com.example.game"


def load(folder: str) -> List[Dict[str, Any]]:
    """Returns all cases of a folder of vectors. A missing or empty folder is a failure."""
    cases: List[Dict[str, Any]] = []
    for path in sorted((VECTORS / folder).glob("*.json")):
        content = json.loads(path.read_text("utf-8"))
        cases += content if isinstance(content, list) else [content]
    assert cases, f"there are no vectors in {folder}"
    return cases


# Fields: JSON ↔ values of the codec

def value_from_json(kind: Any, value: Any) -> Any:
    """Returns the value of the codec for a value of JSON."""
    if kind[0] == "list":
        return [value_from_json(kind[1], each) for each in value]
    if kind[0] == "struct":
        return {name: value_from_json(part, value[name]) for name, part in kind[1]}
    if kind == "device":
        if "id" in value:
            return b"\2" + int(value["id"]).to_bytes(8, "big")
        token = bytes.fromhex(value["token"]["token"])
        return bytes([1, value["token"]["environment"], value["token"]["kind"], len(token)]) + token
    if kind in FORMATS:
        return int(value)
    return value if kind in ("str", "topic") else bytes.fromhex(value)


def value_to_json(kind: Any, value: Any) -> Any:
    """Returns the JSON form of a value of the codec."""
    if kind[0] == "list":
        return [value_to_json(kind[1], each) for each in value]
    if kind[0] == "struct":
        return {name: value_to_json(part, value[name]) for name, part in kind[1]}
    if kind == "device":
        if value[0] == 2:
            return {"id": str(int.from_bytes(value[1:], "big"))}
        return {"token": {"environment": value[1], "kind": value[2], "token": value[4:].hex()}}
    if kind in FORMATS:
        return str(value) if kind == "u64" else value
    return value if kind in ("str", "topic") else value.hex()


def kinds(layout: codec.Layout) -> Dict[str, Any]:
    """Returns the kinds of all fields of a layout."""
    return {**dict(layout.fixed), **{name: kind for _, name, kind in layout.tags}}


def fields_from_json(layout: codec.Layout, fields: Dict[str, Any]) -> Dict[str, Any]:
    """Returns fields of the codec; those that the layout does not have stay, so that writing them fails."""
    known = kinds(layout)
    return {name: value_from_json(known[name], value) if name in known else value for name, value in fields.items()}


def fields_to_json(layout: codec.Layout, fields: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the JSON form of fields."""
    known = kinds(layout)
    return {name: value_to_json(known[name], value) for name, value in fields.items()}


# Answers as values of Python → JSON, to compare them with what the server sent

def answer_to_json(kind: Any, value: Any) -> Any:
    """Returns the JSON form of a value that a program gets, for a field of this kind."""
    if kind[0] == "list":
        if isinstance(value, dict):
            names = [name for name, _ in kind[1][1]]
            value = [dict(zip(names, pair)) for pair in value.items()]
        return [answer_to_json(kind[1], each) for each in value]
    if kind[0] == "struct":
        members = value if isinstance(value, dict) else {each.name: getattr(value, each.name)
                                                         for each in dataclasses.fields(value)}
        return {name: answer_to_json(part, members[name]) for name, part in kind[1]}
    if isinstance(value, datetime):
        value = milliseconds(value, "")
    if isinstance(value, uuid.UUID):
        return value.hex
    if isinstance(value, (bool, int)) or value is None:
        value = int(value or 0)
    if kind in FORMATS:
        return str(int(value)) if kind == "u64" else int(value)
    return value.hex() if isinstance(value, bytes) else value
