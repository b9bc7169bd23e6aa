#!/usr/bin/env python3
"""Checks what swift format cannot: words, labels, bounds, lengths, sleeps and expectations of tests, links, pages.

    Tools/support/style.py               prints every finding; the exit status is 1 if there is one
    Tools/support/style.py --counts      prints the figures of the code base, one a line
    Tools/support/style.py --base REV    checks the subjects of the commits since REV as well
    Tools/support/style.py --unlabelled  lists the functions with three or more parameters without a label

The rules, by what they are about. If a place can be exempt from a rule, the rule says how: by a comment, which has a
reason.

Text
    * No retired word of retired-words.txt is used. `style: old names` in a line exempts it.
    * A line has at most 120 columns, but for generated files, and for tables and code in pages.
    * A file has at most 500 lines. A comment `Long:` in its first 40 lines exempts it. README.md has at most 195.
    * A text that speaks of a budget says whether it is of memory or of silent pushes.
    * The subject of a commit has at most 72 columns.
    * Of C, Go, Java, Kotlin and Lua, and of the JavaScript and TypeScript of the clients, only the rules above are
      checked, and in Go and JavaScript the lengths of functions.

Functions
    * A function of the product (Swift, JavaScript, Go) and a Python function have at most 45 lines, those of tests in
      Swift, JavaScript and Go 70. Generated Go is exempt. In Swift and Python `style: table`, in the line before,
      exempts a switch with a row for each case.
    * A Swift function has at most two parameters without a label. `style: unlabelled`, in its line or the line before,
      exempts it, but only one that needs it. The arguments of a parameterised test are the columns of a table, and its
      call is not written by hand: it needs no labels.

Tests
    * A test has at most twelve expectations. `style: expectations` in the line before exempts it.
    * An expectation, or an assertion of Python, has one condition, also within a closure or a tuple.
    * A test does not sleep. `pause:` in the line or the line before says why one does.
    * A file of tests has one suite, and both have the same name. `XTests.swift` stands in the folder of `X.swift`
      within its module, and `XYTests.swift` in that of `X+Y.swift`.
    * A suite of Python is called `…Tests`, and no other is called so. It has the name of its file if it is the only one
      there.
    * The name of a suite begins with that of a type of its module, or of a file that extends a type, without the `+`.
    * A file of 100 lines or more, an applier and an extension of LMDBRegistry have such a suite, or a line of
      Tests/tested-types.txt says what tests them.

Files and types
    * A folder of Sources or Tests that has Swift files is that of a target of Package.swift.
    * A type has a file of its own, `X.swift`, if it has more than 40 lines and another file uses it, or if three files
      of other folders use it. `style: file`, in one of the three lines before the type, exempts it; so do the folder
      of operations in CarillonWire, where a file has a request and its answer, and the tables of CarillonRegistry.
    * An import is there because the file uses a name of the module.
    * Extensions of a type that has five files of them or more assign none of its variables.

Names of Swift
    * A bound of the product is called `maximum…` or `minimum…`.
    * A type of Sources that is thrown is called `…Error`. swift_rules.py has the exceptions.
    * A nested type does not repeat what its outer type says: a name of several words begins with no word of the outer
      name, and no name ends with the last one. `style: nested`, in one of the three lines before the type or in its
      line, exempts it.

Comments of Swift
    * A doc comment begins with the thing, with what is done, or with “True if”.
    * A name after `- Parameter` is that of a parameter. A name of several words in backquotes exists in the code.
    * An extension of a program that is the first declaration of its file has a comment `///`.
    * Each `try?` of a program has a `// Why try?:` within the three lines before it.
    * A comment that names an operation names the section of that operation.
    * A comment of a module for all providers that names APNs says what only APNs has; else it speaks of the provider.

Pages
    * A link is relative: `[Glossary](Glossary.md#cluster)`. Its file exists, and its anchor is a heading of that page.
      `<doc:…>` is refused, because only DocC can follow it.
    * Every page is at most three links away from README.md.
    * The root page of a module names each of its folders.
    * A file, type, function or property that a page names in code exists. If the page says `Type.function`, or
      “`function` of `Type`”, then that type has it, or what the type conforms to; so it is in comments of Swift.
    * The lines of a table are not joined.
    * The lists of files in AddingAnOperation.md are those of the files that mention the two operations of the page.
"""
from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, NamedTuple, Set, Tuple

from style_rules import (
    assertions, comment_names, expectations, modules, nested_names, operation_files, page_links, page_names,
    part_writers, swift_rules, target_folders, test_folders, test_suites, tested_types, type_files, type_members,
    unused_imports)
from style_rules.function_lengths import MAXIMUM_UNLABELLED, Function, functions, unlabelled_text
from style_rules.swift_source import without_text

ROOT = Path(__file__).resolve().parents[2]
RETIRED_WORDS = ROOT / "Tools/support/retired-words.txt"
RULES = ("words", "columns", "tables", "files", "functions", "labels", "sleeps", "subjects", "readme", "links", "index",
         "names", "budgets", "operations", "expectations", "folders", "places", "suites", "tested",
         "types", "imports", "writers", "nested", *swift_rules.CHECKS)
# Retired words that also have a common meaning: a line of text, a letter of a word, HTTP POST.
COMMON_WORDS = {"letter", "post", "who", "figures", "survey", "inventory"}
# Names of others that have a retired word, and the greeting of an example.
FOREIGN_NAMES = re.compile(r"""
    --body\ World                    # the greeting in an example of `carillon send`; style: old names
    |exit\(code|[eE]xitCode          # a call of exit, a type of ArgumentParser, a property of Node.js; style: old names
    |context\.Canceled|query_canceled  # an error of Go, and one of PostgreSQL; style: old names
    """, re.VERBOSE)
# The languages of other_code().
OTHER_SUFFIXES = {".c", ".go", ".h", ".java", ".js", ".kt", ".lua", ".ts"}
# The tests in Python, without those of the client in Python.
PYTHON_TESTS = ("Tests/SystemTests/tests/", "Tests/SystemTests/proofs/tests/", "Protocol/test-client/",
                "Protocol/dissector-tests/")
WORD = re.compile(r"\w+")
MAXIMUM_COLUMNS, MAXIMUM_FILE_LINES, MAXIMUM_SUBJECT_COLUMNS, MAXIMUM_README_LINES = 120, 500, 72, 195


class Finding(NamedTuple):
    """A place that breaks a rule."""

    rule: str
    path: str
    line: int
    text: str


def listed_files() -> Iterator[Tuple[str, Path]]:
    """All files of the repository, without links, in the order of their names."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, check=True).stdout
    for name in sorted(name for name in listed.decode().split("\0") if name):
        path = ROOT / name
        if path.is_file() and not path.is_symlink():
            yield name, path


def source_files() -> Iterator[Path]:
    """All files of the repository that a human writes: Swift, Markdown, Python, shell, and JavaScript of Sources."""
    for name, path in listed_files():
        if "Tests/Corpus/" in name and not name.endswith(".py"):
            continue
        is_console = path.suffix == ".js" and name.startswith("Sources/")
        if path.suffix in {".swift", ".md", ".py", ".sh"} or is_console or is_shell_script(path):
            yield path


def other_code() -> Iterator[Path]:
    """The files in other languages, of which the text is checked."""
    examined = set(source_files())
    yield from (path for _, path in listed_files() if path.suffix in OTHER_SUFFIXES and path not in examined)


def check_other_code(path: Path, lines: List[str], terms: List[Tuple[str, ...]]) -> Iterator[Finding]:
    """The rules about text and about the lengths of functions, which a file of other_code() has to follow."""
    for check in (check_columns, check_file, check_budgets):
        yield from check(path, lines)
    yield from check_words(path, lines, terms)
    yield from check_lengths(functions(path, "\n".join(lines)))


def check_lengths(found: Iterable[Function]) -> Iterator[Finding]:
    """Finds the functions that are too long."""
    yield from (Finding("functions", each.path, each.line, f"{each.name} has {each.lines} lines")
                for each in found if each.is_too_long)


def is_shell_script(path: Path) -> bool:
    """Returns true if a file has no suffix and begins with a shebang."""
    if path.suffix:
        return False
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


# Words

def retired_words() -> List[Tuple[str, ...]]:
    """The retired terms, each as a sequence of lower-case words."""
    terms = []
    for line in RETIRED_WORDS.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        for term in re.sub(r"([^,]+)\([^)]*\)", "", line.partition(" -> ")[0]).split(","):
            words = tuple(term.lower().split())
            if words and words[0] not in COMMON_WORDS:
                terms.append(words)
    return terms


def plurals(word: str) -> List[str]:
    """A word and its plural."""
    return [word, word[:-1] + "ies" if word.endswith("y") else word + "s"]


def words_of(line: str) -> List[str]:
    """The lower-case words of a line; identifiers are split at capitals and underscores."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", line)]


def check_words(path: Path, lines: List[str], terms: List[Tuple[str, ...]]) -> Iterator[Finding]:
    """Finds retired words."""
    name = str(path.relative_to(ROOT))
    searched = {form: words for words in terms for form in plurals(words[0])}
    for number, line in enumerate(lines, 1):
        if "style: old names" in line:
            continue
        found = words_of(FOREIGN_NAMES.sub("", line))
        for index, word in enumerate(found):
            words = searched.get(word)
            if words and tuple(found[index + 1:index + len(words)]) == words[1:]:
                yield Finding("words", name, number, f"the retired word “{' '.join(words)}”: {line.strip()[:80]}")


# Lines, files and sleeps

def check_columns(path: Path, lines: List[str]) -> Iterator[Finding]:
    """Finds long lines of code, and of Markdown outside of tables and code blocks. swift format breaks neither
    comments nor strings."""
    if "/Generated/" in str(path):
        return
    if path.suffix != ".md":
        yield from (Finding("columns", str(path.relative_to(ROOT)), number, f"{len(line)} columns")
                    for number, line in enumerate(lines, 1) if len(line) > MAXIMUM_COLUMNS)
        return
    in_code = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code and len(line) > MAXIMUM_COLUMNS and not line.lstrip().startswith(("|", "<!--")):
            yield Finding("columns", str(path.relative_to(ROOT)), number, f"{len(line)} columns")


# The line below the head of a table.
TABLE_LINE = re.compile(r"[|\s:-]+")


def check_tables(path: Path, lines: List[str]) -> Iterator[Finding]:
    """Finds tables of a page whose lines were joined, as by an editor that wraps paragraphs."""
    for number, line in enumerate(lines, 1):
        if "|---" in line and not TABLE_LINE.fullmatch(line):
            yield Finding("tables", str(path.relative_to(ROOT)), number, "the lines of a table are joined")


def check_readme(path: Path, lines: List[str]) -> Iterator[Finding]:
    """Finds a README that is too long."""
    if path == ROOT / "README.md" and len(lines) > MAXIMUM_README_LINES:
        yield Finding("readme", path.name, len(lines), f"{len(lines)} lines; the limit is {MAXIMUM_README_LINES}")


# Files

# The reason why a file is long: the comment of this repository, or Go's head of a generated file.
HAS_REASON = re.compile(r"(//|#|--) Long: |// Code generated by .* DO NOT EDIT\.$")


def check_file(path: Path, lines: List[str]) -> Iterator[Finding]:
    """Finds files that are long without a reason."""
    has_reason = any(HAS_REASON.match(line) for line in lines[:40])
    if path.suffix != ".md" and len(lines) > MAXIMUM_FILE_LINES and not has_reason:
        yield Finding("files", str(path.relative_to(ROOT)), 1, f"{len(lines)} lines and no `Long:` at its head")


SLEEP = re.compile(
    r"Task\.sleep\((for|nanoseconds|until)|\b(u|nano)?sleep\(\d|time\.sleep\(|Thread\.sleep|^\s*sleep \d")


def check_sleeps(path: Path, lines: List[str]) -> Iterator[Finding]:
    """Finds fixed sleeps in tests: a test waits for a condition."""
    name = str(path.relative_to(ROOT))
    if not name.startswith("Tests/"):
        return
    for number, line in enumerate(lines, 1):
        if SLEEP.search(line) and "pause:" not in line and "pause:" not in lines[number - 2]:
            yield Finding("sleeps", name, number, line.strip())


BUDGET = re.compile(r"\bbudgets?\b", re.IGNORECASE)
WHOSE_BUDGET = re.compile(r"memory|silent|over[_-]budget", re.IGNORECASE)
COMMENT_LINE = re.compile(r"\s*(/?\*|# )")
# This check and its test.
CHECKS = {"style.py", "test_style.py"}


def check_budgets(path: Path, lines: List[str]) -> Iterator[Finding]:
    """Finds budgets that are neither the memory budget nor the silent-push budget: the text must say which, in its line
    or one of the two before. Names in code are in the scope of a type that says it."""
    if path.name in CHECKS:
        return
    for number, line in enumerate(lines, 1):
        is_text = path.suffix in {".md", ".py"} or COMMENT_LINE.match(line)
        text = line if is_text else line.partition("//")[2] or " ".join(re.findall(r'"[^"]*"', line))
        if BUDGET.search(text) and not any(WHOSE_BUDGET.search(each) for each in lines[max(0, number - 3):number]):
            yield Finding("budgets", str(path.relative_to(ROOT)), number,
                          "which budget: of memory, or of silent pushes?")


# Commits

def check_subjects(base: str) -> Iterator[Finding]:
    """Finds long subjects of the commits since a base."""
    log = subprocess.run(["git", "log", "--format=%h %s", f"{base}..HEAD"], cwd=ROOT, capture_output=True, text=True,
                         check=True).stdout
    for line in log.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > MAXIMUM_SUBJECT_COLUMNS:
            yield Finding("subjects", commit, 1, f"{len(subject)} columns: {subject}")


# The report

@dataclass
class Examination:
    """All files, read once: what breaks a rule, the functions, and the number of lines of each file."""

    findings: List[Finding] = field(default_factory=list)
    functions: List[Function] = field(default_factory=list)
    lengths: Dict[str, int] = field(default_factory=dict)
    pages: Dict[Path, List[str]] = field(default_factory=dict)
    swift: Dict[str, List[str]] = field(default_factory=dict)
    # The suites of Python: path, line and name.
    python_suites: List[Tuple[str, int, str]] = field(default_factory=list)
    # The names that pages may use, and the names that comments of Swift may use.
    known: Set[str] = field(default_factory=set)
    code_words: Set[str] = field(default_factory=set)

    def read_page(self, path: Path, lines: List[str]) -> None:
        """A page of Markdown."""
        self.findings += [*check_columns(path, lines), *check_tables(path, lines), *check_readme(path, lines)]
        name = str(path.relative_to(ROOT))
        self.findings += [Finding("links", name, *each) for each in page_links.findings(path, lines)]
        self.pages[path] = lines

    def read_code(self, path: Path, source: str, lines: List[str]) -> None:
        """A file of Swift, Python, shell or JavaScript."""
        name, is_swift = str(path.relative_to(ROOT)), path.suffix == ".swift"
        self.known.update(WORD.findall(source), [path.stem, path.parent.name])
        self.lengths[name] = len(lines)
        self.findings += [*check_columns(path, lines), *check_file(path, lines), *check_sleeps(path, lines)]
        found = list(functions(path, source))
        self.functions += found
        self.findings += check_lengths(found)
        for each in found:
            if each.unlabelled > MAXIMUM_UNLABELLED:
                self.findings.append(Finding("labels", each.path, each.line, unlabelled_text(each)))
            if each.needs_no_exemption:
                self.findings.append(Finding("labels", each.path, each.line, f"{each.name} needs no exemption"))
        if is_swift:
            self.code_words |= comment_names.words_of_code(source, without_text(source))
            self.swift[name] = lines
            self.findings += [Finding("expectations", name, *each) for each in expectations.findings(source)]
            self.findings += [Finding("nested", name, *each) for each in nested_names.findings(source)]
            for rule, check in swift_rules.CHECKS.items():
                self.findings += [Finding(rule, name, *each) for each in check(name, source)]
        else:
            self.code_words |= set(WORD.findall(source))
        if path.suffix == ".py":
            self.python_suites += [(name, *each) for each in test_suites.python_suites(source)]
        if path.suffix == ".py" and name.startswith(PYTHON_TESTS):
            self.findings += [Finding("expectations", name, *each) for each in assertions.findings(source)]

    def compare(self) -> None:
        """Finds the faults that only all files together show."""
        for file in ROOT.joinpath("Protocol").rglob("*"):
            if file.suffix in {".json", ".lua", ".go", ".java", ".js"}:
                self.code_words |= set(WORD.findall(file.read_text(errors="replace")))
        self.findings += [Finding("names", name, line, f"no code has the name {text}")
                          for name, line, text in comment_names.findings(self.swift, self.code_words)]
        module_folders = modules.folders(ROOT, self.swift)
        text = f"no way of {page_links.MAXIMUM_CLICKS} links leads here from README.md"
        self.findings += [Finding("index", name, 1, text) for name in page_links.far_pages(ROOT, self.pages)]
        self.findings += [Finding("names", *each)
                          for each in page_names.findings(ROOT, self.pages, self.known, self.code_words)]
        self.findings += [Finding("names", *each) for each in type_members.findings(ROOT, self.pages, self.swift)]
        self.findings += [Finding("folders", *each)
                          for each in page_names.folder_findings(ROOT, self.pages, module_folders)]
        self.findings += [Finding("places", path, 1, text) for path, text in test_folders.findings(self.swift)]
        package = (ROOT / "Package.swift").read_text()
        self.findings += [Finding("places", path, 1, text)
                          for path, text in target_folders.findings(self.swift, package)]
        self.findings += [Finding("suites", *each) for each in test_suites.findings(self.swift)]
        self.findings += [Finding("suites", *each) for each in test_suites.python_findings(self.python_suites)]
        self.findings += [Finding("types", *each) for each in type_files.findings(self.swift)]
        self.findings += [Finding("imports", *each) for each in unused_imports.findings(self.swift)]
        self.findings += [Finding("writers", *each) for each in part_writers.findings(self.swift)]
        text = (ROOT / tested_types.LIST).read_text()
        self.findings += [Finding("tested", *each) for each in tested_types.findings(self.swift, text)]
        self.findings += [Finding("operations", operation_files.PAGE, line, text) for line, text in
                          operation_files.findings(ROOT, (ROOT / operation_files.PAGE).read_text())]


def examine() -> Examination:
    """Reads all files."""
    examination = Examination()
    for file in sorted((ROOT / "Tools/packaging").glob("*.*")):
        examination.known.update(WORD.findall(file.read_text()))
    examination.code_words = set(examination.known)
    terms = retired_words()
    for path in source_files():
        source = path.read_text(errors="replace")
        lines = source.splitlines()
        examination.findings += [*check_words(path, lines, terms), *check_budgets(path, lines)]
        if path.suffix == ".md":
            examination.read_page(path, lines)
        else:
            examination.read_code(path, source, lines)
    for path in other_code():
        lines = path.read_text(errors="replace").splitlines()
        examination.findings += check_other_code(path, lines, terms)
    examination.compare()
    return examination


def print_counts(examination: Examination) -> None:
    """Prints the figures of the code base."""
    findings, all_functions, lengths = examination.findings, examination.functions, examination.lengths
    product = [each for each in all_functions if each.path.startswith(("Sources/",
                                                                       "Tools/")) and each.path.endswith(".swift")]
    longest = max(product, key=lambda each: each.lines)
    swift = {name: count for name, count in lengths.items() if name.endswith(".swift")}
    longest_file = max((name for name in swift if not name.startswith("Tests/")), key=swift.get)
    words = [finding for finding in findings if finding.rule == "words"]
    by_word: Dict[str, int] = {}
    for finding in words:
        word = finding.text.partition("“")[2].partition("”")[0]
        by_word[word] = by_word.get(word, 0) + 1
    print(f"retired words            {len(words)} in {len({finding.path for finding in words})} files")
    for word, count in sorted(by_word.items(), key=lambda item: -item[1]):
        print(f"    {word:<20} {count}")
    print(f"README lines             {len((ROOT / 'README.md').read_text().splitlines())}")
    print(f"lines over {MAXIMUM_COLUMNS}           {sum(finding.rule == 'columns' for finding in findings)}")
    print(f"longest file             {swift[longest_file]} lines: {longest_file}")
    long_files = sum(count > MAXIMUM_FILE_LINES for count in swift.values())
    print(f"files over {MAXIMUM_FILE_LINES} lines      {long_files}, without a reason "
          f"{sum(finding.rule == 'files' for finding in findings)}")
    print(f"longest function         {longest.lines} lines: {longest.name}, {longest.path}:{longest.line}")
    print(f"functions too long       {sum(finding.rule == 'functions' for finding in findings)}")
    unlabelled = sum(each.unlabelled > MAXIMUM_UNLABELLED for each in all_functions)
    print(f"3 or more unlabelled     {unlabelled} functions, beside "
          f"{sum(each.has_excuse for each in all_functions)} that are exempt")
    print(f"fixed sleeps in tests    {sum(finding.rule == 'sleeps' for finding in findings)}")


def main() -> int:
    """Checks; the exit status is 1 if a rule is broken."""
    summary, _, rules = __doc__.partition("\n")
    parser = argparse.ArgumentParser(prog="Tools/support/style.py", description=summary,
                                     epilog=rules[rules.index("The rules"):],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", action="store_true", help="print the figures of the code base")
    parser.add_argument("--unlabelled", action="store_true",
                        help="list functions with three or more unlabelled parameters")
    parser.add_argument("--base", help="check the subjects of the commits since this revision")
    options = parser.parse_args()
    examination = examine()
    findings = examination.findings
    if options.counts:
        print_counts(examination)
        return 0
    if options.unlabelled:
        for each in examination.functions:
            if each.unlabelled > MAXIMUM_UNLABELLED:
                print(f"{each.path}:{each.line}: {unlabelled_text(each)}")
        return 0
    if options.base:
        findings += check_subjects(options.base)
    for finding in findings:
        print(f"{finding.path}:{finding.line}: {finding.rule}: {finding.text}")
    counted = {rule: sum(finding.rule == rule for finding in findings) for rule in RULES}
    print("style: " + ", ".join(f"{rule} {count}" for rule, count in counted.items()))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
