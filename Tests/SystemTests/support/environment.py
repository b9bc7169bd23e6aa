"""Paths, names and helpers that all system tests use, and the protocol.

The built programs are in the folder that the environment variable CARILLON_PROGRAMS names, else in .build/debug, or in
that of BUILD as for the scripts of Tools.
"""
from __future__ import annotations

import fcntl
import os
import random
import re
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = Path(os.environ.get("CARILLON_PROGRAMS") or ROOT / ".build" / (os.environ.get("BUILD") or "debug"))
# The version of all programs, from the one place that has it.
VERSION = re.search(r'number = "(.*)"', (ROOT / "Sources/Platform/CarillonVersion/Version.swift").read_text())[1]
VECTORS = ROOT / "Protocol" / "vectors"
sys.path.insert(0, str(ROOT / "Protocol" / "test-client"))

import crln  # noqa: E402, F401  (importable only now)

APP = "com.example.game"
OTHER_APP = "com.example.other"
LONGEST_APP = "a" * 155
ALL_ROLES = ["register", "send", "observe", "admin"]
# The interpreter of Debian, which has the package python3-h2.
SYSTEM_PYTHON = "/usr/bin/python3"
# A test fails after this time if a condition does not come or a program hangs. It is long for a busy machine.
TIMEOUT_SECONDS = 60.0
# The system gives out the ports from here on by itself. If its range begins below 20,000, `free_port` uses the part of
# the range below 20,000 all the same: else too few ports would be left.
FIRST_EPHEMERAL_PORT = max(20_000, int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0]))
RESERVED_PORTS = Path(tempfile.gettempdir()) / f"carillon-reserved-ports-{os.getuid()}"


def eventually(condition: Callable[[], Any], what: str, timeout: float = TIMEOUT_SECONDS, pause: float = 0.02) -> Any:
    """Calls `condition` every `pause` seconds and returns its first true value; AssertionError after `timeout`
    seconds."""
    end = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {timeout:.0f} s: {what}")
        time.sleep(pause)  # pause: between two looks


def stable(value: Callable[[], Any], what: str, seconds: float = 0.3) -> Any:
    """Waits until `value` returns the same for `seconds` and returns it; AssertionError after TIMEOUT_SECONDS."""
    last, since, end = value(), time.monotonic(), time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() - since < seconds:
        if time.monotonic() > end:
            raise AssertionError(f"it goes on: {what}")
        time.sleep(0.02)  # pause: between two looks
        now = value()
        if now != last:
            last, since = now, time.monotonic()
    return last


def require(condition: bool, what: str) -> None:
    """Raises an AssertionError with the text unless the condition holds."""
    if not condition:
        raise AssertionError(what)


def free_port() -> int:
    """Returns a port of the loopback addresses that no program listens on, reserved for this process. It is below
    the ports that the system gives to connections and to listeners without a port of their own: none of them can
    take it while the program that it is for starts, or starts again."""
    RESERVED_PORTS.mkdir(exist_ok=True)
    while True:
        port = random.randrange(10_000, FIRST_EPHEMERAL_PORT)
        lock = os.open(RESERVED_PORTS / str(port), os.O_CREAT | os.O_RDWR, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
            return port  # The file stays open, and with it the lock, until this process ends.
        except OSError:
            os.close(lock)
