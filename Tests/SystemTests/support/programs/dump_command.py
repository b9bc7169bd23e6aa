"""Runs carillon-dump."""
from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Dict, List

from support.environment import PROGRAMS


def dump(*arguments: Any, status: int = 0, **environment: str) -> subprocess.CompletedProcess:
    """Runs carillon-dump to its end; its exit status must be `status`."""
    command = [str(PROGRAMS / "carillon-dump"), *(str(argument) for argument in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    if done.returncode != status:
        raise AssertionError(f"{command}: exit status {done.returncode}, not {status}: {done.stdout}{done.stderr}")
    return done


def rows(output: str) -> List[Dict[str, Any]]:
    """Returns the rows of an output of JSON Lines."""
    return [json.loads(line) for line in output.splitlines()]


def content(export: Path) -> List[str]:
    """Returns the lines of an export without the first, which contains the time."""
    return export.read_text().splitlines()[1:]
