#!/usr/bin/env python3
"""Runs the system tests, several files at a time: one line for each file with its time, the whole output of a failure.

Usage: run.py [--jobs N] [NAME…]   NAME is a folder of tests/, `proofs`, or a part of a file's name; without one, every
file runs that needs neither a browser nor root. `run.py --list` lists the folders and their files.
"""
from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import List

HERE = Path(__file__).resolve().parent
# The longest files come first, so that none of them runs alone at the end.
LONGEST_FIRST = ["bad_inputs", "slow_clients", "final_answers", "sender", "reload", "clock", "lifecycle",
                 "documentation"]
# These run only if they are named: they need a browser, or packages and root. `Tools/test console` and `package` name
# them.
ONLY_IF_NAMED = ["console_pages", "console_reach", "package"]


@dataclass
class Result:
    """The result of the tests of one file."""

    name: str
    seconds: float
    tests: int
    skipped: int
    output: str
    passed: bool


def run_file(path: Path) -> Result:
    """Runs the tests of one file in a process of its own."""
    began = time.monotonic()
    module = ".".join(path.relative_to(HERE).with_suffix("").parts)
    done = subprocess.run([sys.executable, "-B", "-m", "unittest", module], cwd=HERE, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
    found = re.search(r"^Ran (\d+) tests?", done.stdout, re.MULTILINE)
    skipped = re.search(r"^OK \(skipped=(\d+)\)", done.stdout, re.MULTILINE)
    return Result(path.stem, time.monotonic() - began, int(found[1]) if found else 0, int(skipped[1]) if skipped else 0,
                  done.stdout, done.returncode == 0 and found is not None)


def order(path: Path) -> int:
    """Returns the rank of a file: a lower one starts earlier."""
    name = path.stem.removeprefix("test_")
    return LONGEST_FIRST.index(name) if name in LONGEST_FIRST else len(LONGEST_FIRST)


def folder(path: Path) -> str:
    """Returns the name by which a file is chosen with others: its folder in `tests`, or `proofs` for a file of
    proofs/tests."""
    parent = path.parent.relative_to(HERE)
    return parent.parts[1] if parent.parts[0] == "tests" else parent.parts[0]


def is_named(path: Path, names: List[str]) -> bool:
    """True if a file runs: one of the names is that of its folder or a part of its own, or there are no names."""
    if not names:
        return path.stem.removeprefix("test_") not in ONLY_IF_NAMED
    return any(name == folder(path) or name in path.stem for name in names)


def main() -> int:
    """Runs the files that the arguments name; the exit status is 1 if a test failed."""
    parser = argparse.ArgumentParser(prog="Tests/SystemTests/run.py", description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("CARILLON_TEST_JOBS", 3)),
                        help="files at a time (%(default)s)")
    parser.add_argument("--list", action="store_true", help="list the files by folder, and run none")
    parser.add_argument("names", nargs="*", help="folders, or parts of the names of files")
    options = parser.parse_args()
    all_files = sorted([*HERE.glob("tests/*/test_*.py"), *HERE.glob("proofs/tests/test_*.py")])
    if options.list:
        for name, files in itertools.groupby(all_files, folder):
            print(f"{name:<14}", *(path.stem.removeprefix("test_") for path in files))
        return 0
    files = sorted((path for path in all_files if is_named(path, options.names)), key=order)
    if not files:
        sys.exit("no file has such a name")
    results = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for future in as_completed([pool.submit(run_file, path) for path in files]):
            result = future.result()
            results.append(result)
            print(f"{result.name:<24} {result.tests:3d} tests {result.seconds:7.1f} s  "
                  f"{'passed' if result.passed else 'FAILED'}"
                  + (f", {result.skipped} skipped" if result.skipped else ""), flush=True)
            if not result.passed:
                print(result.output, flush=True)
    failed = [result.name for result in results if not result.passed]
    print(f"{sum(result.tests for result in results)} tests in {len(results)} files" +
          (f"; failed: {', '.join(sorted(failed))}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
