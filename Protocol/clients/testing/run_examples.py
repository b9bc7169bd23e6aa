#!/usr/bin/env python3
"""Runs the eight examples of a language against a server and an APNs simulator, and compares what they print.

    CARILLON_PROGRAMS=FOLDER run_examples.py 'COMMAND'

`{name}` in the command is the name of the example; its arguments are appended. An example: 'node examples/{name}.js'.
`examples.json` has the arguments and the lines; `…` stands for any text without blanks. The examples build on each
other: they run in their order on one new server. Afterwards `connect` runs with a wrong key and must fail.
CARILLON_PROGRAMS is the folder of the built programs, as for the system tests.
"""
from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

from with_server import variables

HERE = Path(__file__).resolve().parent
# The time for one example, the start of its language included.
TIMEOUT_SECONDS = 120
REFUSED = "AUTHENTICATION_FAILED not_executed:"


def run(command: str, name: str, arguments: List[str],
        environment: Dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """Runs one example."""
    return subprocess.run([*shlex.split(command.replace("{name}", name)), *arguments], text=True,
                          timeout=TIMEOUT_SECONDS,
                          capture_output=True, env={**os.environ, **environment}, check=False)


def are_as_expected(expected: List[str], printed: List[str], words: Dict[str, str]) -> bool:
    """True if the lines are as expected."""
    for word, value in words.items():
        expected = [re.sub(rf"\b{word}\b", value, line) for line in expected]
    patterns = [re.escape(line).replace("…", r"\S+") for line in expected]
    return len(patterns) == len(printed) and all(map(re.fullmatch, patterns, printed))


def main(arguments: List[str]) -> int:
    """Runs all examples; exit status 1 if one is not as it must be."""
    if len(arguments) != 1:
        print(f"usage: {Path(__file__).name} 'COMMAND with {{name}}'", file=sys.stderr)
        return 2
    from support.deployment import Deployment  # needs CARILLON_PROGRAMS

    words = {"TOKEN": os.urandom(32).hex(), "UNKNOWN": os.urandom(32).hex(), "GROUP": "user/42", "TOPIC": "raids",
             "TEXT": "Hello", "NAME": "example"}
    failed = 0
    with Deployment() as deployment:
        environment = variables(deployment)
        for example in json.loads((HERE / "examples.json").read_text("utf-8")):
            done = run(arguments[0], example["name"], [words[each] for each in example["arguments"]], environment)
            ok = done.returncode == 0 and are_as_expected(example["lines"], done.stdout.splitlines(), words)
            failed += not ok
            print(f"{example['name']}: " + ("ok" if ok else f"exit {done.returncode}\n{done.stdout}{done.stderr}"))
        wrong = {**environment, "CARILLON_API_KEY_FILE": "", "CARILLON_API_KEY": "a wrong key"}
        done = run(arguments[0], "connect", [], wrong)
        output = done.stdout + done.stderr
        ok = done.returncode == 1 and REFUSED in output and wrong["CARILLON_API_KEY"] not in output
        failed += not ok
        print("connect with a wrong key: " + ("ok" if ok else f"exit {done.returncode}\n{output}"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
