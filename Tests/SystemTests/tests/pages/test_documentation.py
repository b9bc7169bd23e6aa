"""The transcripts in the README and the manual pages are what the programs print today."""
from __future__ import annotations

import json
import re
import subprocess
import textwrap
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, Iterator, List, Set

from support.deployment import PROGRAMS, ROOT
from support.environment import VERSION
from support.programs.transcripts import Document, blocks, difference

PAGES = [ROOT / "README.md", *sorted((ROOT / "Sources/Documentation").rglob("*.md"))]

# Each has a server of its own.
PAGES_AT_A_TIME = 3


class TranscriptsTests(unittest.TestCase):
    """Runs each marked code block; the comments are explained in support/programs/transcripts.py."""

    def test_the_transcripts_of_every_page_are_true(self) -> None:
        marked = [path for path in PAGES if blocks(path.read_text())]
        with ThreadPoolExecutor(PAGES_AT_A_TIME) as pool:
            found = list(pool.map(lambda path: Document(path).problems(), marked))
        for path, problems in zip(marked, found):
            with self.subTest(path.name):
                self.assertEqual(problems, [], "\n\n" + "\n\n".join(problems))
        print(f"{len(marked)} of {len(PAGES)} pages have transcripts")

    def test_the_transcripts_of_the_example_are_compared(self) -> None:
        problems = Document(Path(__file__).with_name("transcript_example.md")).problems()
        self.assertEqual(problems, [], "\n\n" + "\n\n".join(problems))


class GlossaryTests(unittest.TestCase):
    """The page of the terms."""

    # A longer glossary is a language of its own, which a reader would have to learn. Most rows have one word only, so
    # that a reader finds it: 100 rows have hardly more words than 60 had with several words each.
    MAXIMUM_ROWS = 100

    PAGE = (ROOT / "Sources/Documentation/Glossary.md").read_text()

    def test_a_term_has_one_row(self) -> None:
        terms = self.terms(self.PAGE)
        self.assertEqual(sorted(terms), sorted(set(terms)))

    def test_the_glossary_is_short(self) -> None:
        self.assertLessEqual(len(self.rows(self.PAGE)), self.MAXIMUM_ROWS)

    def test_the_index_has_each_term_with_its_section(self) -> None:
        sections = re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", self.PAGE, re.MULTILINE)
        explained = {(term, re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-"))
                     for heading, text in sections if heading != "Frozen names" for term in self.terms(text)}
        links = re.findall(r"\[([^\]]+)\]\(#([^)]+)\)", self.PAGE.partition("\n## Index of the words\n")[2])
        # A link may go over the end of a line.
        index = [(" ".join(term.split()), section) for term, section in links]
        self.assertEqual(sorted(index), sorted(explained))

    def rows(self, text: str) -> List[str]:
        """Returns the first cell of each row, without the heads of the tables."""
        cells = re.findall(r"^\| ([^|]+?) \|", text, re.MULTILINE)
        return [cell for cell in cells if cell not in {"Word", "Term", "Name"}]

    def terms(self, text: str) -> List[str]:
        """Returns the terms of all rows: a row may have several."""
        return [term for row in self.rows(text) for term in row.replace("*(code)*", "").strip().split(", ")]


def commands(program: str) -> Set[str]:
    """Returns the commands of a program, each with those above it: `topic list`."""
    dump = subprocess.run([PROGRAMS / program, "--experimental-dump-help"], capture_output=True, check=True, timeout=60)

    def paths(command: Dict, above: str = "") -> Iterator[str]:
        shown = [each for each in command.get("subcommands", []) if each["commandName"] != "help"]
        # A group of commands has flags only: --help and --version.
        if above and (not shown or any(each["kind"] == "option" for each in command["arguments"])):
            yield above
        for each in shown:
            yield from paths(each, f"{above} {each['commandName']}".strip())

    return set(paths(json.loads(dump.stdout)["command"]))


class CommandTablesTests(unittest.TestCase):
    """The manual pages have the commands that `--help` has."""

    def page(self, program: str) -> str:
        """Returns the manual page of a program."""
        return (ROOT / f"Sources/Documentation/Manuals/Manual-{program}.md").read_text()

    def test_the_table_of_carillon_has_every_command(self) -> None:
        table = self.page("carillon").partition("| Command | Does |\n|---|---|\n")[2].partition("\n\n")[0]
        named = set()
        for row in table.splitlines():
            words = re.findall(r"`([a-z -]+)`", row.split("|")[1])
            # `topic subscribe`, `list`: the word of the first one belongs to all.
            group = words[0].split()[0] + " " if " " in words[0] else ""
            named |= {word if " " in word else group + word for word in words}
        self.assertEqual(named, commands("carillon"))

    def test_the_table_of_carillond_has_every_command(self) -> None:
        usage = subprocess.run([PROGRAMS / "carillond", "--help"], capture_output=True, text=True, check=True,
                               timeout=60)
        table = self.page("carillond").partition("| Command | Does |\n|---|---|\n")[2].partition("\n\n")[0]
        word = r"\bcarillond ((?:--)?[a-z][a-z-]+)"
        shown = set(re.findall(word, usage.stdout.partition("\n\n")[2].partition("\n\n")[0]))
        self.assertEqual(set(re.findall("`" + word, table)) - {"--help"}, shown)

    def test_the_pages_of_the_tools_name_every_command(self) -> None:
        for program in ("carillon-dump", "carillon-load"):
            page = self.page(program)
            missing = {each for each in commands(program)
                       if not re.search(rf"{program}(?: --\S+ \S+)* {each}\b|`{each}[` ]", page)}
            self.assertEqual(missing, set(), program)


class ThreadDrawingTests(unittest.TestCase):
    """The drawing of the threads says what the page of the threads says."""

    def test_each_thread_and_each_number_is_on_the_page(self) -> None:
        folder = ROOT / "Sources/Documentation"
        page = (folder / "ThreadsAndBounds.md").read_text()
        section = page.partition("## Threads")[2].partition("\n## ")[0]
        threads = set(re.findall(r"^\| ([^|]+?) \| ", section, re.MULTILINE))
        drawing = (folder / "Resources/threads.svg").read_text()
        drawn = re.findall(r'<rect class="thread".*\n  <text class="name"[^>]*>([^<]+)<', drawing)
        self.assertGreaterEqual(len(drawn), 8)
        self.assertEqual(set(drawn) - threads, {"threads"}, "all but the legend")
        numbers = [number for text in re.findall(r">([^<]+)</text>", drawing)
                   for number in re.findall(r"\d[\d,]*\d", text)]
        self.assertEqual([number for number in numbers if number not in page], [])


class PageVersionsTests(unittest.TestCase):
    """The version that pages show."""

    def test_every_output_on_a_page_has_the_version_of_the_programs(self) -> None:
        for path in [*PAGES, *sorted((ROOT / "Protocol/clients").glob("**/README.md"))]:
            shown = re.findall(r"\bcarillond/([0-9][\w.-]*\w)", path.read_text())
            self.assertEqual(set(shown) - {VERSION}, set(), path.name)


class SwiftExampleTests(unittest.TestCase):
    """The Swift example of the README is compiled with ScenarioTests."""

    def test_the_compiled_lines_are_those_of_the_readme(self) -> None:
        readme = (ROOT / "README.md").read_text()
        shown = re.findall(r"^```swift\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
        source = (ROOT / "Tests/ScenarioTests/ReadmeExample.swift").read_text()
        compiled = re.search(r"// README: begin\n(.*?) *// README: end", source, re.DOTALL)[1]
        imports = [line for line in source.splitlines() if line.startswith("import ")]
        self.assertEqual(shown, ["\n".join([*imports, "", textwrap.dedent(compiled)])])


class TranscriptComparisonTests(unittest.TestCase):
    """The comparison of outputs."""

    def assert_same(self, expected: List[str], actual: List[str], numbers_vary: bool = False) -> None:
        """Asserts that the output is as expected."""
        self.assertIsNone(difference(expected, actual, numbers_vary))

    def test_varying_values_are_equal(self) -> None:
        self.assert_same(["finished   just now, after 22 ms"], ["finished  1.2 s ago, after 1.5 s"])
        self.assert_same(["sent to 127.0.0.1:7474 at 1,740/s"], ["sent to 127.0.0.1:40211 at 98/s"])
        self.assert_same(["5  2026-11-21T11:13:41Z  finished"], ["5  2026-12-01T08:00:00Z  finished"])
        self.assert_same(["message 18  5 devices"], ["message 7  9 devices"], numbers_vary=True)
        self.assert_same(['{"sent":1,"lost":0}'], ['{"sent":2,500,"lost":1.5}'], numbers_vary=True)

    def test_an_ellipsis_stands_for_text_and_for_lines(self) -> None:
        self.assert_same(["first", "…", "last"], ["first", "second", "third", "last"])
        self.assert_same(["token a614f881…"], ["token a614f881c0de"])

    def test_other_output_is_a_difference(self) -> None:
        for expected, actual in ((["delivered 4"], ["delivered 5"]), (["one"], ["one", "two"]),
                                 (["one", "two"], ["one"])):
            self.assertIsNotNone(difference(expected, actual), f"{expected} {actual}")


if __name__ == "__main__":
    unittest.main()
