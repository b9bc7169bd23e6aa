"""Runs tshark with the dissector, and reads its output."""
from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterable, List, Set, Tuple

from captures import Capture

PROTOCOL = Path(__file__).resolve().parent.parent
DISSECTOR = PROTOCOL / "carillon.lua"

# The values of each field of a packet, by the name of the field. A name may repeat.
Fields = Dict[str, List[str]]


def run(*arguments: str, dissector: Path = DISSECTOR) -> Tuple[str, str]:
    """Returns the output of tshark, and its errors; AssertionError if it fails."""
    command = ["tshark", *arguments, "-X", f"lua_script:{dissector}"]
    result = subprocess.run(command, capture_output=True, timeout=300, check=False)
    errors = result.stderr.decode("utf-8", "replace")
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(command)} ends with status {result.returncode}: {errors}")
    return result.stdout.decode("utf-8", "replace"), errors


def read(capture: Capture, *arguments: str, dissector: Path = DISSECTOR) -> str:
    """Returns the output of tshark for a capture; AssertionError if the dissector fails."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "capture.pcap"
        capture.write(path)
        output, errors = run("-r", str(path), *arguments, dissector=dissector)
    if "lua error" in (output + errors).lower() or "lua:" in errors.lower():
        raise AssertionError(f"The dissector fails on {' '.join(arguments)}: {errors}")
    return output


def dissect(capture: Capture, *arguments: str) -> List[Fields]:
    """Returns the fields of each packet in which Carillon was found."""
    output = read(capture, "-T", "json", "-Y", "carillon", *arguments)
    packets = json.loads(output, object_pairs_hook=lambda pairs: pairs)
    return [_flatten(packet, {}) for packet in packets]


def info_lines(capture: Capture) -> List[str]:
    """Returns the line of each packet in the list of packets."""
    return read(capture, "-Y", "carillon", "-T", "fields", "-e", "_ws.col.Info").splitlines()


def merged(packets: Iterable[Fields]) -> Fields:
    """Returns all fields of several packets together."""
    together: Fields = {}
    for packet in packets:
        for name, values in packet.items():
            together.setdefault(name, []).extend(values)
    return together


def values(fields: Fields, name: str) -> List[str]:
    """Returns the values of a field of the dissector, in their order."""
    return fields.get("carillon." + name, [])


def merged_by_connection(packets: Iterable[Fields], connection_count: int) -> List[Fields]:
    """Returns the fields of each connection of a capture, in the order of the connections."""
    packets_of: List[List[Fields]] = [[] for _ in range(connection_count)]
    for packet in packets:
        packets_of[int(packet["tcp.stream"][0])].append(packet)
    return [merged(each) for each in packets_of]


def field_names() -> Set[str]:
    """Returns the names of all fields that the dissector registers, without the prefix."""
    lines = run("-G", "fields")[0].splitlines()
    return {line.split("\t")[2].removeprefix("carillon.") for line in lines if "\tcarillon." in line}


def with_colons(data: bytes) -> str:
    """Returns bytes as tshark writes them."""
    return data.hex(":")


def _flatten(members: List[Any], into: Fields) -> Fields:
    """Collects all leaves of tshark's JSON by field name, in order."""
    for name, inner in members:
        for leaf in inner if isinstance(inner, list) and not _is_object(inner) else [inner]:
            if _is_object(leaf):
                _flatten(leaf, into)
            else:
                into.setdefault(name, []).append(leaf)
    return into


def _is_object(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, tuple) for item in value)
