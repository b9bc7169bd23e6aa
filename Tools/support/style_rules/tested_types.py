"""Finds suites that are called after no type, and long files that no suite is called after, if the list of the
exceptions lacks them."""
from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Dict, Iterator, List, Optional, Set, Tuple

from style_rules.modules import folder_of, name_of
from style_rules.test_folders import modules_of

# A file of at least this many lines has a suite, or is in the list.
MINIMUM_LINES = 100
LIST = "Tests/tested-types.txt"
# Four blanks: the line continues the one above.
CONTINUATION = re.compile(r"\n {4,}")
SUITE = re.compile(r"\b\w+Tests\b")
TYPE = re.compile(r"\b(?:struct|enum|class|actor|protocol) +(\w+)")
# The target whose suites are stories.
STORIES = "ScenarioTests"
# The type whose extensions are reads of the registry, and the end of the names of the types that apply changes: each
# has a suite.
READS, CHANGES = "LMDBRegistry", "Applier"


def entries(text: str) -> Iterator[str]:
    """The files and folders of the list, as `CarillonCore/Labels`. A line has the module, its files, and their tests
    in words."""
    for line in CONTINUATION.sub(" ", text).splitlines():
        module, _, rest = line.partition(": ")
        if rest and not line.startswith("#"):
            yield from (f"{module}/{name}" for name in rest.partition(": ")[0].split(", "))


def places(path: PurePosixPath) -> Set[str]:
    """The names by which the list can name a file: itself, and each folder of its module that it stands in."""
    module, folder = name_of(str(path)), PurePosixPath(folder_of(str(path)))
    return {f"{module}/{path.stem}", *(f"{module}/{each.relative_to(folder)}" for each in path.parents
                                       if each.is_relative_to(folder) and each != folder)}


def names_of(path: PurePosixPath, lines: List[str]) -> Set[str]:
    """The names that a suite of the file may begin with: for `X+Y.swift` they are XY and X, and each type in it."""
    types = {name for line in lines for name in TYPE.findall(line.partition("//")[0])}
    return types | {path.stem.replace("+", ""), path.stem.partition("+")[0]}


def longest_name(suite: str, names: Set[str]) -> Optional[str]:
    """Returns `PushPool` for `PushPoolGrowthTests`, the longest of the names with which the suite begins."""
    subject = suite[:-len("Tests")]
    ends = [index for index in range(len(subject), 0, -1) if index == len(subject) or subject[index].isupper()]
    return next((subject[:end] for end in ends if subject[:end] in names), None)


def findings(files: Dict[str, List[str]], text: str) -> Iterator[Tuple[str, int, str]]:
    """The suites that no name of their module begins, the long files without a suite, and the names of the list that
    nothing has; each with a path, a line and what is wrong. A suite or a file that stands in the list is in order."""
    excepted = set(entries(text))
    paths = [PurePosixPath(path) for path in files]
    names = {path: names_of(path, files[str(path)]) for path in paths if path.parts[0] != "Tests"}
    of_modules: Dict[str, Set[str]] = {}
    for path, found in names.items():
        of_modules.setdefault(name_of(str(path)), set()).update(found)
    bases = {path.stem.replace("+", ""): path.stem.partition("+")[0] for path in names}
    suites = {path: path.stem for path in paths if path.parts[0] == "Tests" and path.stem.endswith("Tests")}
    targets = {path: name_of(str(path)) for path in suites}
    named = set(SUITE.findall(text))

    subjects: Dict[str, Set[str]] = {}
    for path, suite in suites.items():
        modules = modules_of(targets[path])
        subject = longest_name(suite, set().union(*(of_modules.get(module, set()) for module in modules)))
        if subject:
            for module in modules:
                subjects.setdefault(module, set()).update({subject, bases.get(subject, subject)})
        elif suite not in named and targets[path] != STORIES:
            yield str(path), 1, f"no type has the name of {suite}, and {LIST} does not say what it tests"

    sources = {path: places(path) for path in names if path.parts[0] == "Sources" and len(path.parts) > 3}
    for path, own_places in sources.items():
        extended, _, extension = path.stem.partition("+")
        is_long = len(files[str(path)]) >= MINIMUM_LINES
        is_concerned = extended == READS if extension else is_long or extended.endswith(CHANGES)
        own = names[path] - {extended} | {extension} if extension else names[path]
        is_tested = own & subjects.get(name_of(str(path)), set())
        if is_concerned and "Generated" not in path.parts and not is_tested and excepted.isdisjoint(own_places):
            yield str(path), 1, f"no suite begins with {path.stem.replace('+', '')}, and {LIST} does not say why"

    for name in sorted(excepted.difference(*sources.values())):
        yield LIST, 1, f"there is no {name}.swift and no such folder"
    for suite in sorted(named - set(suites.values()) - set(targets.values())):
        yield LIST, 1, f"there is no suite {suite}"
