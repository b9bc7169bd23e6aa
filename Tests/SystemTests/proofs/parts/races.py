#!/usr/bin/env python3
"""Counts the reports of ThreadSanitizer in a log that can be races, and prints the first five. The exit status is 1 if
there is one. `Tools/prove threads` starts it.

Swift's Mutex waits, when it is contended, in a library without instrumentation: the sanitizer then does not see that
one critical section ends before the other begins. So a report is left out if both of its accesses are in closures of
`withLock`: in each of the two stacks, one of the first twelve frames is at a line with `.withLock`. The state of a
Mutex can be reached only inside its own lock, so nearly all such pairs are under one lock and cannot run at the same
time.
The gap: a report does not say which lock it is. A race on other state, between closures of two different locks, is left
out too.
"""
from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import List

# The frames from the top of a stack among which the call of withLock is looked for: after those of the access and of
# its closure, and those of collections that the closure changes.
DEPTH = 12
ACCESS = re.compile(
    r"^  (?:Previous )?(?:[Mm]odifying|[Rr]ead|[Ww]rite|[Aa]tomic)[^\n]*\n((?:    #\d+ [^\n]*\n)+)", re.MULTILINE)


def is_in_lock(stack: str) -> bool:
    """Returns true if one of the top frames is at a source line that calls withLock."""
    for frame in stack.splitlines()[:DEPTH]:
        place = re.search(r" (/\S+\.swift):(\d+)", frame)
        if place and Path(place[1]).exists():
            lines = Path(place[1]).read_text().splitlines()
            if ".withLock" in lines[int(place[2]) - 1]:
                return True
    return False


def reports(log: str) -> List[str]:
    """Returns the reports of a log."""
    return re.findall(r"^WARNING: ThreadSanitizer: .*?^SUMMARY: [^\n]*", log, re.MULTILINE | re.DOTALL)


def main() -> int:
    """Prints the first races and the results; the exit status is 1 if there is a race."""
    found = reports(Path(sys.argv[1]).read_text(errors="replace"))
    races = []
    for report in found:
        stacks = ACCESS.findall(report + "\n")
        if len(stacks) < 2 or not all(is_in_lock(stack) for stack in stacks[:2]):
            races.append(report)
    for report in races[:5]:
        print("\n".join(line[:200] for line in report.splitlines()[:40]))
    print(f"RESULT threads.left_out {len(found) - len(races)}")
    print(f"RESULT threads.races {len(races)}")
    return 1 if races else 0


if __name__ == "__main__":
    sys.exit(main())
