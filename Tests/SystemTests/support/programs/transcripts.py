"""Runs the transcripts of documents and compares their output.

A code block of Markdown is a transcript if the line before it is an HTML comment, which readers do not see:

    <!-- run: server -->       runs the commands on a new server without data, with a simulator
    <!-- run: demo -->         runs the commands on the deployment that `Tools/demo --keep` leaves
    <!-- run: demo, fresh -->  the same, on a new deployment; also `server, fresh`
    <!-- run: demo output -->  compares the block with a part of what `Tools/demo` prints
    <!-- run: shell -->        runs the commands in an empty folder without a server
    <!-- file: apps.json -->   writes the block to a file of the folder in which all later commands run
    <!-- setup: COMMAND -->    runs a command before those of the next block; its output is not compared

The blocks of a document run in their order, in one shell. With a server the variables APP, CARILLON_SERVER and
CARILLON_API_KEY_FILE are set; with `server` also DATA (the data directory), CONTROL_PORT (of the simulator) and
URL (of HTTP for services).
ROOT is the checkout.

A line that begins with `$ ` is a command; the next line belongs to it if it ends with a backslash. The lines up to the
next command are the output. In the output `…` stands for any text of a line, and a line with `…` alone for any number
of lines. Values that differ from run to run are equal to each other: times, durations, rates, ports, keys, tokens and
temporary paths; with `numbers vary`, all numbers.
"""
from __future__ import annotations

import difflib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional, Tuple, Union

from support.deployment import Deployment
from support.environment import APP, PROGRAMS, ROOT

MARK = "transcript-command-ended"
# The number of lines of a difference that are printed.
SHOWN_LINES = 60


@dataclass
class Command:
    """A command and the output that the document shows."""

    line: int
    text: str
    output: List[str] = field(default_factory=list)


@dataclass
class Block:
    """A marked code block of a document."""

    line: int
    # What the comment says: `run` or `file`, and the words behind it.
    kind: str
    options: List[str]
    lines: List[str]
    # Commands that run before those of the block.
    setup: List[str] = field(default_factory=list)

    def commands(self) -> List[Command]:
        """Returns the commands of a transcript."""
        found: List[Command] = []
        continues = False
        for number, line in enumerate(self.lines, self.line + 1):
            if continues:
                found[-1].text += "\n" + line
            elif line.startswith("$ "):
                found.append(Command(number, line[2:]))
            elif found:
                found[-1].output.append(line)
            continues = (continues or line.startswith("$ ")) and line.endswith("\\")
        return found


def blocks(text: str) -> List[Block]:
    """Returns the marked code blocks of a document."""
    found: List[Block] = []
    setup: List[str] = []
    lines = text.split("\n")
    for index, line in enumerate(lines):
        command = re.fullmatch(r"\s*<!-- setup: (.+?) -->\s*", line)
        if command:
            setup.append(command[1])
        comment = re.fullmatch(r"\s*<!-- (run|file): (.+?) -->\s*", line)
        if not comment:
            continue
        fence = re.fullmatch(r"(\s*)```\w*\s*", lines[index + 1]) if index + 1 < len(lines) else None
        if not fence:
            raise AssertionError(f"line {index + 1}: no code block follows the comment")
        end = next(row for row in range(index + 2, len(lines)) if lines[row].strip() == "```")
        content = [row.removeprefix(fence[1]) for row in lines[index + 2:end]]
        options = [word.strip() for word in comment[2].split(",")]
        if comment[1] == "run":
            found.append(Block(index + 2, "run", options, content, setup))
            setup = []
        else:
            found.append(Block(index + 2, "file", options, content))
    return found


# Comparison

VARYING: List[Tuple[str, str]] = [
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?", "TIME"),
    (r"\b\d\d:\d\d:\d\d\b", "TIME"),
    (r"\bcrln_[0-9A-Za-z_-]+", "KEY"),
    (r"/tmp/[\w.-]+", "FOLDER"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "UUID"),
    (r"\b[0-9a-f]{16,}\b", "HEX"),
    (r"(127\.0\.0\.1|localhost|\[::1\]):\d+", "ADDRESS"),
    (r"\bjust now\b|\b[\d.,]+ ?(ms|µs|s|min|h) ago\b", "AGO"),
    (r"\b[\d.,]+ ?(ms|µs|s|min|h)\b", "DURATION"),
    (r"[\d.,]+/s\b|[\d.,]+ a second", "RATE"),
    (r"\b[\d.,]+ ?(KiB|MiB|GiB|kB|KB|MB|GB)\b", "SIZE"),
]


def normalized(line: str, numbers_vary: bool) -> str:
    """Returns a line whose varying values are replaced by their kinds."""
    for pattern, kind in VARYING:
        line = re.sub(pattern, kind, line)
    if numbers_vary:
        line = re.sub(r"\d+([,.]\d+)*", "NUMBER", line)
    return re.sub(r"\s+", " ", line).strip()


def matches(expected: List[str], actual: List[str]) -> bool:
    """True if normalized output is as expected; `…` is a placeholder."""
    if not expected:
        return not actual
    if expected[0] == "…":
        return any(matches(expected[1:], actual[start:]) for start in range(len(actual) + 1))
    if not actual:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].split("…"))
    return re.fullmatch(pattern, actual[0]) is not None and matches(expected[1:], actual[1:])


def difference(expected: List[str], actual: List[str], numbers_vary: bool = False) -> Optional[str]:
    """None if the output is as the document shows it, else both as a diff."""
    old, new = ([normalized(line, numbers_vary) for line in lines] for lines in (expected, actual))
    old, new = ([line for line in lines if line] for lines in (old, new))
    if matches(old, new):
        return None
    lines = list(difflib.unified_diff(old, new, "document", "run", lineterm="", n=3))
    return "\n".join(lines[:SHOWN_LINES] + ["(more lines)"] * (len(lines) > SHOWN_LINES))


# Running

class Shell:
    """A bash in which the commands of one document run, in a temporary folder."""

    def __init__(self, variables: Dict[str, str]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="carillon-transcript-"))
        environment = {**os.environ, "NO_COLOR": "1", "ROOT": str(ROOT), "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
                       **variables}
        self.process = subprocess.Popen(["bash", "--norc"], cwd=self.folder, env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        start_new_session=True)

    def run(self, command: str) -> List[str]:
        """Runs a command; the lines of its output and errors."""
        self.process.stdin.write(f"{{ {command}\n}} </dev/null\nprintf '\\n{MARK}\\n'\n")
        self.process.stdin.flush()
        lines: List[str] = []
        for line in self.process.stdout:
            if line == MARK + "\n":
                return lines
            lines.append(line.rstrip("\n"))
        raise AssertionError(f"the shell has ended in: {command}")

    def close(self) -> None:
        """Ends the shell with all that it has started, and removes the folder."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)


class Demo:
    """`Tools/demo --keep`: what it prints, and the deployment that it leaves."""

    def __init__(self) -> None:
        done = subprocess.run([str(ROOT / "Tools" / "demo"), "--keep"], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False,
                              env={**os.environ, "NO_COLOR": "1", "CARILLON_PROGRAMS": str(PROGRAMS)})
        if done.returncode:
            raise AssertionError(f"Tools/demo failed:\n{done.stdout}")
        self.output = done.stdout.splitlines()
        self.variables = dict(re.findall(r"(CARILLON_SERVER|CARILLON_API_KEY_FILE|APP)=(\S+)", done.stdout))
        server, simulator, folder = re.search(r"^ *kill (\d+) (\d+); rm -r (\S+)", done.stdout, re.MULTILINE).groups()
        self.processes, self.folder = (int(server), int(simulator)), folder

    def close(self) -> None:
        """Ends the processes and removes the folder."""
        for process in self.processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)


class Server:
    """A new server without data, with a simulator."""

    def __init__(self) -> None:
        self.deployment = Deployment(apps={APP: {"production": "main"}}, flags=None)
        path = self.deployment.keys.path("http.port")
        self.deployment.start("--http-port", "0", "--http-port-file", path, "--console-port", "0",
                              "--console-port-file", self.deployment.keys.path("console.port"))
        self.variables = {"APP": APP, "CARILLON_SERVER": f"127.0.0.1:{self.deployment.port}",
                          "CARILLON_API_KEY_FILE": str(self.deployment.api_key_file),
                          "URL": f"http://127.0.0.1:{Path(path).read_text().strip()}",
                          "DATA": str(self.deployment.folder / "data"),
                          "CONTROL_PORT": str(self.deployment.simulator.control_port)}

    def close(self) -> None:
        """Ends the processes and removes the folder."""
        self.deployment.stop()


class Document:
    """A document whose transcripts are run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = "shell"
        self.processes: Union[Demo, Server, None] = None
        self.shell: Optional[Shell] = None
        # The files that blocks have written, each with its text. A shell that begins later gets them too.
        self.files: Dict[str, str] = {}

    def problems(self) -> List[str]:
        """Runs all blocks; one text for each output that differs from the document."""
        found: List[str] = []
        try:
            for block in blocks(self.path.read_text()):
                found += self._problems(block)
        finally:
            self._close()
        return found

    def _problems(self, block: Block) -> List[str]:
        if block.kind == "file":
            self.files[block.options[0]] = "\n".join(block.lines) + "\n"
            if self.shell:
                self._write_files()
            return []
        place, *options = block.options
        unknown = set(options) - {"fresh", "numbers vary"}
        if place not in ("demo", "demo output", "server", "shell") or unknown:
            return [f"{self.path.name}:{block.line}: unknown options: {', '.join(block.options)}"]
        if "fresh" in options:
            self._close()
        self._open(place.partition(" ")[0])
        if place == "demo output":
            text = difference(self._elided(block.lines), self.processes.output, "numbers vary" in options)
            return [f"{self.path.name}:{block.line}: Tools/demo\n{text}"] if text else []
        for command in block.setup:
            self.shell.run(command)
        found = []
        for command in block.commands():
            text = difference(command.output, self.shell.run(command.text), "numbers vary" in options)
            if text:
                found.append(f"{self.path.name}:{command.line}: $ {command.text}\n{text}")
        return found

    @staticmethod
    def _elided(lines: List[str]) -> List[str]:
        """The output of the demo without the commands that start it; any text may be before and after the block."""
        return ["…", *(line for line in lines if not line.startswith("$ ")), "…"]

    def _open(self, place: str) -> None:
        """Starts the processes of a place and its shell, unless they run; a shell also runs beside other processes."""
        if place != "shell" and place != self.place:
            self._close()
            self.processes = Demo() if place == "demo" else Server()
            self.place = place
        if self.shell is None:
            self.shell = Shell(self.processes.variables if self.processes else {})
            self._write_files()

    def _write_files(self) -> None:
        """Writes all files into the folder of the shell."""
        for name, text in self.files.items():
            (self.shell.folder / name).write_text(text)

    def _close(self) -> None:
        for each in (self.shell, self.processes):
            if each:
                each.close()
        self.shell = self.processes = None
        self.place = "shell"
