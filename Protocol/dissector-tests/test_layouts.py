"""The dissector's table of operations is that of layouts.json, field by field."""
from __future__ import annotations

import json
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Tuple

import tshark
from captures import Capture

LAYOUTS = json.loads((tshark.PROTOCOL / "layouts.json").read_text("utf-8"))
# The opcodes of the control frames; an error has none of its own.
ERROR, PING, GOAWAY, POSITION = 0, 3, 4, 5
# The place of a field: its opcode, its part of the operation (request, answer, …), and its index or tag.
Place = Tuple[int, str, str]

# Appended to a copy of the dissector, whose locals it sees: prints each field of the table of operations.
PRINT_TABLE = """
local function shape(field)
    if field.type ~= "list" then return field.type end
    local items = {}
    for index, item in ipairs(not field.nested and field.items or {}) do
        items[index] = item.name .. ":" .. shape(item)
    end
    return "list(" .. table.concat(items, ",") .. ")"
end
local function show(operation, part, schema)
    for place, field in ipairs(schema and schema.fixed or {}) do
        print("FIELD", operation, part, "fixed " .. place, field.name, shape(field))
    end
    for tag, field in pairs(schema and schema.tags or {}) do
        print("FIELD", operation, part, "tag " .. tag, field.name, shape(field))
    end
end
for opcode, operation in pairs(OPERATIONS) do
    local name = opcode .. " " .. operation.name
    for _, part in ipairs({ "request", "answer", "event", "control" }) do show(name, part, operation[part]) end
end
show("0 ERROR", "error", ERROR)
"""
# How the dissector shows bytes of these types, and the names that it gives to fields of the file.
SHOWN_AS = {"topic": ("str",), "bytes": ("bytes", "text", "secret"), "data8": ("eight",)}
SHOWN_NAMES = {"opcodes.lowest": "lowest layout", "opcodes.highest": "highest layout", "ping.data": "opaque"}


def is_same_type(name: str, layout: Any, shown: str) -> bool:
    """Returns True if the dissector's type of a field is that of the layout."""
    if isinstance(layout, str):
        return shown in SHOWN_AS.get(layout, (layout,))
    if not shown.startswith("list("):
        return False
    item = layout["list"]
    items = [item.partition(":")[::2] for item in re.findall(r"[^(),]+(?:\([^()]*\))?", shown[5:-1])]
    if item == "bytes":  # The payload of another operation, which the dissector shows field by field.
        return not items
    fields = item["struct"] if isinstance(item, dict) else [[items[0][0], item]]
    return (len(fields) == len(items)
            and all(SHOWN_NAMES.get(f"{name}.{field}", field) == label and is_same_type(f"{name}.{field}", kind, shape)
                    for (field, kind), (label, shape) in zip(fields, items)))


def fields_of_file() -> Dict[Place, Tuple[str, Any]]:
    """Returns the name and the type of each field of layouts.json."""
    parts = {(ERROR, "error"): LAYOUTS["error"], (GOAWAY, "control"): LAYOUTS["goaway"],
             (PING, "control"): LAYOUTS["ping"], (POSITION, "control"): LAYOUTS["position"],
             (LAYOUTS["event"]["opcode"], "event"): LAYOUTS["event"]}
    for operation in LAYOUTS["requests"]:
        request = operation["request"]
        parts[operation["opcode"], "request"] = {**request, "tags": LAYOUTS["common_tags"] + request.get("tags", [])}
        parts[operation["opcode"], "answer"] = operation["answer"]
    fields: Dict[Place, Tuple[str, Any]] = {}
    for (opcode, part), layout in parts.items():
        for index, (name, kind) in enumerate(layout["fixed"], 1):
            fields[opcode, part, f"fixed {index}"] = (name, kind)
        for tag, name, kind in layout.get("tags", []):
            fields[opcode, part, f"tag {tag}"] = (name, kind)
    return fields


class LayoutsTests(unittest.TestCase):
    """The table that a copy of the dissector prints, and the file."""

    @classmethod
    def setUpClass(cls) -> None:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "table.lua"
            copy.write_text(tshark.DISSECTOR.read_text("utf-8") + PRINT_TABLE, "utf-8")
            output = tshark.read(Capture(), dissector=copy)
        rows = [line.split("\t")[1:] for line in output.splitlines() if line.startswith("FIELD\t")]
        cls.operations: Dict[int, str] = {}
        cls.shown: Dict[Place, Tuple[str, str]] = {}
        for operation, part, place, name, kind in rows:
            opcode, operation_name = operation.split()
            cls.operations[int(opcode)] = operation_name
            cls.shown[int(opcode), part, place] = (name, kind)
        cls.expected = fields_of_file()

    def test_the_dissector_has_exactly_the_fields_of_the_file(self) -> None:
        self.assertEqual(self.shown.keys(), self.expected.keys())

    def test_the_operations_have_the_names_of_the_file(self) -> None:
        names = {operation["opcode"]: operation["name"].upper() for operation in LAYOUTS["requests"]}
        with_fields = {opcode: name for opcode, name in names.items() if opcode in self.operations}
        self.assertEqual(self.operations, {ERROR: "ERROR", PING: "PING", GOAWAY: "GOAWAY", POSITION: "POSITION",
                                           **with_fields})

    def test_a_field_has_the_name_of_the_file(self) -> None:
        for place, (name, _) in self.expected.items():
            path = f"ping.{name}" if place[0] == PING else name
            with self.subTest(place):
                self.assertEqual(self.shown[place][0], SHOWN_NAMES.get(path, name))

    def test_a_field_has_the_type_of_the_file(self) -> None:
        for place, (name, kind) in self.expected.items():
            shown = self.shown[place][1]
            with self.subTest(place):
                self.assertTrue(is_same_type(name, kind, shown), f"{name} is {shown}, not {kind}")


if __name__ == "__main__":
    unittest.main()
