"""Tools/support/style.py finds what is wrong on pages: links, names, and lists that differ from the files."""
from __future__ import annotations

import sys
import unittest

from support.environment import ROOT

sys.path.insert(0, str(ROOT / "Tools" / "support"))

import style  # noqa: E402  (importable only now)
from style_rules import operation_files, page_links, page_names, type_members  # noqa: E402


class PageTablesTests(unittest.TestCase):
    """The tables of pages."""

    def test_the_lines_of_a_table_are_not_joined(self) -> None:
        def found(*lines: str) -> list:
            return [finding.line for finding in style.check_tables(ROOT / "README.md", list(lines))]

        self.assertEqual(found("| a | b |", "|---|---|", "| c | d |", "  |:---|---:|"), [])
        self.assertEqual(found("text", "| a | b | |---|---| | c | d |"), [2])


class PageLinksTests(unittest.TestCase):
    """Links of pages, and the files and types that they name."""

    PAGE = ROOT / "Protocol" / "Example.md"

    def found(self, *lines: str) -> list:
        """Returns what the findings about the links of a page say."""
        return [text for _, text in page_links.findings(self.PAGE, list(lines))]

    def test_a_link_must_lead_to_a_file(self) -> None:
        self.assertEqual(self.found("[a](Carillon-v1.md) and [`b`](../README.md), [c](https://example.com)"), [])
        self.assertEqual(self.found("[a](Missing.md)"), ["there is no Missing.md"])
        self.assertEqual(self.found("[a](/README.md)"), ["there is no /README.md"])
        self.assertEqual(self.found("[a]: Missing.md"), ["there is no Missing.md"])

    def test_an_anchor_must_be_a_heading(self) -> None:
        self.assertEqual(self.found("## Two `words`, and a third", "[a](#two-words-and-a-third)"), [])
        self.assertEqual(self.found("# One", "# One", "[a](#one-1)"), [])
        self.assertEqual(self.found("[a](#one)"), ["there is no heading for #one in this page"])
        self.assertEqual(self.found("[a](Conditions.md#1-sets)"), [])
        self.assertEqual(self.found("[a](Conditions.md#sets)"), ["there is no heading for #sets in Conditions.md"])

    def test_a_section_in_brackets_must_lead_to_a_heading(self) -> None:
        self.assertEqual(self.found("# 1. One", "See [§1], and §2.", "[§1]: #1-one"), [])
        self.assertEqual(self.found("See [§1]."), ["no line [§1]: … says where the section is"])

    def test_links_of_documentation_catalogues_are_refused(self) -> None:
        self.assertEqual(len(self.found("- <doc:Page>", "[a](doc:Page)")), 2)

    def test_code_has_no_links(self) -> None:
        self.assertEqual(self.found("`[a](b)` and `<doc:Page>`", "```", "[a](b)", "# One", "```"), [])

    def test_a_page_without_a_way_from_the_readme_is_found(self) -> None:
        pages = {ROOT / "README.md": ["[a](A.md)"], ROOT / "A.md": ["[b](B.md)"], ROOT / "B.md": ["[c](C.md)"],
                 ROOT / "C.md": ["[d](D.md)"], ROOT / "D.md": []}
        self.assertEqual(list(page_links.far_pages(ROOT, pages)), ["D.md"])

    def test_files_and_types_that_a_page_names_must_exist(self) -> None:
        page = ROOT / "Sources" / "CarillonCore" / "CarillonCore.docc" / "Example.md"
        lines = ["`Tools/demo`, `Tools/missing`, `CarillonCore/AppID.swift`, `CarillonCore/Missing.swift`",
                 "`KnownType`, `UnknownType`, ``UnknownType/call()``"]
        known = {"KnownType", "CarillonCore"}
        self.assertEqual([text for *_, text in page_names.findings(ROOT, {page: lines}, known, {"call"})],
                         ["there is no file Tools/missing", "there is no file CarillonCore/Missing.swift",
                          "no source file mentions UnknownType", "no source file mentions UnknownType"])

    def test_functions_and_properties_that_a_page_names_must_exist(self) -> None:
        def found(line: str, folder: str = "Documentation") -> list:
            page = ROOT / "Sources" / folder / "Example.md"
            known, code_words = {"KnownType"}, {"takeActions", "limit"}
            return [text for *_, text in page_names.findings(ROOT, {page: [line]}, known, code_words)]

        missing = ["no code has the name heldChanges"]
        for line in ("`heldChanges`", "`KnownType.heldChanges`", "`heldChanges(at:)`", "`limit: heldChanges.count`"):
            self.assertEqual(found(line), missing, line)
        for line in ("heldChanges", "`takeActions()` and `KnownType.takeActions`", "`maximumX`", "`a-b`, `KnownType`"):
            self.assertEqual(found(line), [], line)
        self.assertEqual(found("`heldChanges`", folder="../Protocol"), [], "a page about another language")


class TypeMembersTests(unittest.TestCase):
    """A function that a page gives to a Swift type belongs to that type."""

    SOURCE = ["/// Calls `Queue.append`, and `take` of `Queue`, not `take` of `Writer`.",
              "struct Queue: Sized { func append(_ each: Int) {}; enum End { case first, last(Int) } }",
              "protocol Sized {}", "extension Sized { var size: Int { 0 } }", "final class Writer { let queue = 0 }",
              "typealias Line = Queue", "extension Queue where Int: Equatable { static func take() {} }"]

    def found(self, *lines: str, page: str = "Sources/Documentation/Example.md") -> list:
        """Returns what the findings about a page and the source say."""
        swift = {"Sources/Queue.swift": self.SOURCE}
        return [(line, text) for _, line, text in type_members.findings(ROOT, {ROOT / page: list(lines)}, swift)][1:]

    def test_a_comment_gives_a_function_to_its_type(self) -> None:
        self.assertEqual(list(type_members.findings(ROOT, {}, {"Sources/Queue.swift": self.SOURCE})),
                         [("Sources/Queue.swift", 1, "Writer has no take")])

    def test_a_function_of_another_type_is_found(self) -> None:
        self.assertEqual(self.found("", "See `Writer.append(_:)`."), [(2, "Writer has no append")])
        self.assertEqual(self.found("The `size` of", "the `Writer` is 1."), [(1, "Writer has no size")])
        self.assertEqual(self.found("`Writer.append`", page="Protocol/Example.md"), [])

    def test_a_function_of_the_type_is_none(self) -> None:
        for text in ("`Queue.append`", "`Queue.take()`", "`Queue.last`", "`Line.append`", "`size` of a `Queue`",
                     "`Queue.End.first`", "`Writer.swift`", "`Foreign.append`", "`Writer.init`"):
            self.assertEqual(self.found(text), [], text)


class OperationFilesTests(unittest.TestCase):
    """The lists of files in AddingAnOperation.md are compared with the files."""

    def found(self, *changes: tuple) -> list:
        """Returns the findings about the page after some replacements of its text."""
        text = (ROOT / operation_files.PAGE).read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return [text for _, text in operation_files.findings(ROOT, text)]

    def test_a_file_that_is_left_out_is_found(self) -> None:
        self.assertEqual(self.found(), [])
        missing = "`CarillonRegistry/WAL/Forms/ChangeForm.swift`"
        self.assertEqual(self.found((missing, "a file")), [
            "A change: RESTORE: Sources/Storage/CarillonRegistry/WAL/Forms/ChangeForm.swift mentions the operation, "
            "and the list lacks it"])

    def test_a_file_that_is_not_concerned_is_found(self) -> None:
        self.assertEqual(self.found(("| 11 | `CarillonClient", "| 11 | `CarillonCore/AppID.swift`, `CarillonClient")),
                         ["CarillonCore/AppID.swift does not mention the operation"])
        self.assertEqual(self.found(("conforms to `Registry`", "and `Missing.swift`")),
                         ["there is no file Missing.swift"])

    def test_the_number_of_files_is_counted(self) -> None:
        self.assertEqual(self.found(("| 12 | 16 |", "| 12 | 20 |")),
                         ["A change: RESTORE: the page begins with 20 files, the list ends with [16]"])


if __name__ == "__main__":
    unittest.main()
