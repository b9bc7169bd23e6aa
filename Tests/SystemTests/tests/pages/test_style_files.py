"""Tools/support/style.py finds types, tests and suites that stand in the wrong file."""
from __future__ import annotations

import sys
import unittest

from support.environment import ROOT

sys.path.insert(0, str(ROOT / "Tools" / "support"))

from style_rules import (  # noqa: E402  (importable only now)
    target_folders, test_folders, test_suites, tested_types, type_files)


class TypeFilesTests(unittest.TestCase):
    """A type that other files use has its own file."""

    BODY = ["    let a = 1"] * type_files.MAXIMUM_LINES

    def found(self, head: str, path: str = "Sources/Domain/CarillonCore/Pair.swift",
              user: str = "Sources/Domain/CarillonCore/User.swift", use: str = "let first: First") -> int:
        """Returns the number of findings about a long type in a file, which another file uses."""
        files = {path: [*head.splitlines(), *self.BODY, "}"], user: ["import CarillonCore", "", use]}
        return len(list(type_files.findings(files)))

    def test_a_long_type_that_another_file_uses_is_found(self) -> None:
        for head in ("struct First {", "package final class First: Hashable {", "@frozen\npublic enum First {"):
            self.assertEqual(self.found(head), 1, head)
        self.assertEqual(self.found("package struct First {", user="Sources/Domain/CarillonWire/B.swift"), 1)

    def test_a_type_with_its_own_file_is_none(self) -> None:
        self.assertEqual(self.found("struct First {", path="Sources/Domain/CarillonCore/First.swift"), 0)

    def test_a_type_that_only_its_file_uses_is_none(self) -> None:
        self.assertEqual(self.found("struct First {", use='let name = "First"'), 0)
        self.assertEqual(self.found("private struct First {"), 0)
        self.assertEqual(self.found("struct First {", user="Sources/Domain/CarillonWire/B.swift"), 0)

    def test_a_reason_exempts(self) -> None:
        self.assertEqual(self.found("/// One.\n// style: file, both are one table\nstruct First {"), 0)

    def test_a_short_type_may_stand_beside_another(self) -> None:
        self.assertEqual(self.found("struct First {}\nstruct Pair {"), 0)

    def users(self, name: str, path: str, *users: str) -> int:
        """Returns the number of findings about a short type that some files use."""
        files = {path: [f"struct {name} {{", "}"], **{user: [f"let value: {name}"] for user in users}}
        return len(list(type_files.findings(files)))

    def test_a_short_type_that_many_files_of_other_folders_use_is_found(self) -> None:
        here, there = "Sources/Domain/CarillonCore/Names", "Sources/Domain/CarillonCore/Times"
        users = [f"{there}/{name}.swift" for name in "ABC"]
        self.assertEqual(self.users("First", f"{here}/Pair.swift", *users), 1)
        self.assertEqual(self.users("First", f"{here}/Pair.swift", *users[:2], f"{here}/D.swift"), 0)

    def test_a_row_in_the_file_of_its_table_is_none(self) -> None:
        here, there = "Sources/Storage/CarillonRegistry/Tables/Apps", "Sources/Storage/CarillonRegistry/Writer"
        users = [f"{there}/{name}.swift" for name in "ABC"]
        for name, count in (("PairRecord", 0), ("PairRow", 0), ("PairKind", 1)):
            self.assertEqual(self.users(name, f"{here}/PairTable.swift", *users), count, name)


class TestFoldersTests(unittest.TestCase):
    """A test stands in the folder of what it judges."""

    SOURCES = ["Sources/Domain/CarillonCore/Time/Uptime.swift", "Sources/Commands/carillon/Top/Rates.swift",
               "Sources/Commands/carillon/Top/Rates+Text.swift",
               "Tools/libraries/CarillonSimulator/Faults/Trigger.swift"]

    def found(self, *tests: str) -> list:
        """Returns the findings about tests."""
        return list(test_folders.findings([*self.SOURCES, *(f"Tests/{test}.swift" for test in tests)]))

    def test_a_test_in_another_folder_is_found(self) -> None:
        self.assertEqual(self.found("Domain/CarillonCoreTests/UptimeTests"), [
            ("Tests/Domain/CarillonCoreTests/UptimeTests.swift",
             "the file of Uptime is in another folder: the test belongs to Tests/Domain/CarillonCoreTests/Time")])
        self.assertEqual(len(self.found("Commands/CarillonTests/RatesTests")), 1)
        self.assertEqual(len(self.found("Tools/APNsSimulatorTests/TriggerTests")), 1)
        self.assertEqual(len(self.found("Commands/CarillonTests/RatesTextTests")), 1, "the file of an extension")

    def test_a_test_beside_what_it_judges_is_none(self) -> None:
        for test in ("Domain/CarillonCoreTests/Time/UptimeTests", "Commands/CarillonTests/Top/RatesTests"):
            self.assertEqual(self.found(test), [])

    def test_a_test_of_several_types_may_be_anywhere_in_its_target(self) -> None:
        self.assertEqual(self.found("Domain/CarillonCoreTests/ClockTests", "Domain/CarillonWireTests/UptimeTests",
                                    "Domain/CarillonCoreTests/Support/Uptime"), [])

    def test_a_folder_without_a_target_is_found(self) -> None:
        package = """library("CarillonCore", in: .domain), systemLibrary(
            "CCarillonLMDB", in: .platform), tests("Carillon", in: .commands, ofProgram: "carillon", []),
            .testTarget(name: "ScenarioTests"), testKit("CarillonTestKit"), .target(path: "Sources/Server/CarillonHTTP")
            """
        paths = ["Sources/Domain/CarillonCore/A.swift", "Sources/Platform/CCarillonLMDB/A.swift",
                 "Sources/Server/CarillonHTTP/A.swift", "Tests/Commands/CarillonTests/ATests.swift",
                 "Tests/ScenarioTests/ATests.swift", "Tests/Kits/CarillonTestKit/A.swift", "Tools/demo/A.swift"]
        self.assertEqual(list(target_folders.findings(paths, package)), [])
        for orphan in ("Tests/Commands/carillonTests", "Tests/Server/CarillonTests", "Sources/CarillonCore",
                       "Sources/Domain"):
            self.assertEqual(list(target_folders.findings([*paths, f"{orphan}/A.swift"], package)),
                             [(orphan, "no target of Package.swift has this folder")])


class TestSuitesTests(unittest.TestCase):
    """A file of tests has one suite, and both have the same name."""

    def found(self, *lines: str) -> list:
        """Returns what the findings about a file TopTests.swift say."""
        return [text for _, _, text in test_suites.findings({"Tests/CarillonTests/TopTests.swift": list(lines)})]

    def test_a_suite_with_the_name_of_its_file_is_none(self) -> None:
        self.assertEqual(self.found("@Suite(.timeLimit(.minutes(1))) struct TopTests {", "    struct RowTests {}", "}"),
                         [])

    def test_another_name_or_a_second_suite_is_found(self) -> None:
        self.assertEqual(self.found("struct RowTests {}"), ["the file has one suite, TopTests: it has RowTests"])
        self.assertEqual(self.found("struct TopTests {}", "@Suite(.serialized)", "final class RowTests {}"),
                         ["the file has one suite, TopTests: it has TopTests, RowTests"])
        self.assertEqual(self.found("let rows = 1"), ["the file has one suite, TopTests: it has none"])

    def test_suites_of_python_have_one_form_and_are_unique(self) -> None:
        source = "class RowTestCase(unittest.TestCase): pass\nclass RowTests(RowTestCase): pass\nclass Row: pass"
        self.assertEqual(list(test_suites.python_suites(source)), [(2, "RowTests")])
        suites = [("a/test_slow_rows.py", 1, "SlowRowsTests"), ("test_b.py", 2, "Rows"), ("test_c.py", 3, "RowTests"),
                  ("test_d.py", 4, "SlowRowsTests"), ("test_d.py", 5, "DTests")]
        self.assertEqual(list(test_suites.python_findings(suites)), [
            ("test_b.py", 2, "Rows is a suite: its name ends in Tests"),
            ("test_c.py", 3, "RowTests is the only suite of its file, and has another name"),
            ("test_d.py", 4, "a/test_slow_rows.py has a suite SlowRowsTests too")])


class TestedTypesTests(unittest.TestCase):
    """A suite is called after a type of its module, and a long file has a suite; the list has the exceptions."""

    LIST = "# Words.\n\nCarillonCore: Name, Labels: NameOrderTests,\n    NameTests; system: load\n"

    def found(self, *others: str, lines: int = tested_types.MINIMUM_LINES, text: str = LIST) -> list:
        """Returns the findings about files of that length, beside those that the list names."""
        known = ["Sources/Domain/CarillonCore/Names/Name", "Sources/Domain/CarillonCore/Labels/Label",
                 "Tests/Domain/CarillonCoreTests/NameTests", "Tests/Domain/CarillonCoreTests/NameOrderTests"]
        lengths = {**dict.fromkeys(known, 9), **dict.fromkeys(others, lines)}
        files = {f"{path}.swift": ["//"] * length for path, length in lengths.items()}
        return [(path, fault.partition(",")[0]) for path, _, fault in tested_types.findings(files, text)]

    def test_a_long_file_without_a_suite_is_found(self) -> None:
        self.assertEqual(self.found("Sources/Domain/CarillonCore/Not"),
                         [("Sources/Domain/CarillonCore/Not.swift", "no suite begins with Not")])
        self.assertEqual(len(self.found("Sources/Domain/CarillonWire/Name")), 1, "the line is of another module")
        self.assertEqual(
            len(self.found("Sources/Domain/CarillonCore/Not", "Tests/Domain/CarillonWireTests/NotTests")), 2)

    def test_a_suite_or_a_line_is_enough(self) -> None:
        for suite in ("NotTests", "NotOrderTests"):
            self.assertEqual(
                self.found("Sources/Domain/CarillonCore/Not", f"Tests/Domain/CarillonCoreTests/{suite}"), [])
        self.assertEqual(self.found("Sources/Domain/CarillonCore/Labels/Long"), [], "the list has the folder")

    def test_short_files_and_other_extensions_need_neither(self) -> None:
        self.assertEqual(self.found("Sources/Domain/CarillonCore/Not", lines=tested_types.MINIMUM_LINES - 1), [])
        self.assertEqual(self.found("Sources/Domain/CarillonCore/Not+Names", "Tools/demo/Not"), [])

    def test_an_extension_of_the_registry_has_a_suite_or_a_line(self) -> None:
        extension, tests = "Sources/L/R/Rows/LMDBRegistry+Pushes", "Tests/L/RTests/Rows/LMDBRegistry"
        fault = (f"{extension}.swift", "no suite begins with LMDBRegistryPushes")
        self.assertEqual(self.found(extension), [fault])
        self.assertEqual(self.found(extension, f"{tests}PushesTests"), [])
        self.assertEqual(self.found(extension, f"{tests}PushesOrderTests"), [])
        self.assertEqual(self.found(extension, f"{tests}Tests"), [fault])
        self.assertEqual(self.found(extension, text=self.LIST + "R: LMDBRegistry+Pushes: NameTests\n"), [])

    def test_a_suite_begins_with_a_type_of_its_module_or_has_a_line(self) -> None:
        suite = "Tests/Domain/CarillonCoreTests/OrderTests"
        self.assertEqual(self.found(suite), [(f"{suite}.swift", "no type has the name of OrderTests")])
        self.assertEqual(self.found("Tests/Domain/CarillonCoreTests/LabelOrderTests"), [])
        self.assertEqual(len(self.found("Tests/Domain/CarillonWireTests/LabelTests")), 1, "the type of another module")
        self.assertEqual(self.found(suite, text=self.LIST + "# OrderTests\n"), [])
        self.assertEqual(len(self.found("Tests/Domain/CarillonCoreTests/NamedTests")), 1, "a word ends with the name")

    def test_a_line_names_files_and_suites_that_exist(self) -> None:
        self.assertEqual(self.found(text="CarillonCore: Labels, Other: NameTests, OtherTests\n"), [
            (tested_types.LIST, "there is no CarillonCore/Other.swift and no such folder"),
            (tested_types.LIST, "there is no suite OtherTests")])


if __name__ == "__main__":
    unittest.main()
