"""Tools/support/style.py finds what it should and nothing else."""
from __future__ import annotations

import sys
import unittest

from support.environment import ROOT

sys.path.insert(0, str(ROOT / "Tools" / "support"))

import style  # noqa: E402  (importable only now)

PATH = ROOT / "Sources" / "Example.swift"


class Words(unittest.TestCase):
    """Retired words are found as whole words, also inside identifiers."""

    def found(self, line: str) -> int:
        """The number of retired words in a line, for two example terms."""
        return len(list(style.check_words(PATH, [line], [("ledger",), ("address", "book")])))  # style: old names

    def test_identifiers_are_split(self) -> None:
        for line in ("let ledgerRow = 1", "LEDGER_SIZE", "// the ledgers", "case addressBook", "# an address book"):  # style: old names
            self.assertEqual(self.found(line), 1, line)

    def test_parts_of_words_are_not_found(self) -> None:
        for line in ("acknowledgerment", "the address of a book", "let entry = 1"):
            self.assertEqual(self.found(line), 0, line)

    def test_frozen_names_are_no_findings(self) -> None:
        for line in ('"census": counts', 'case settingsFlood = "settings-flood"', "- alert: CarillonAPNsInTrouble"):
            self.assertEqual(list(style.check_words(PATH, [line], style.retired_words())), [], line)

    def test_the_list_can_be_read(self) -> None:
        words = style.retired_words()
        self.assertGreater(len(words), 15)
        self.assertTrue(all(word.isalpha() for term in words for word in term), words)


class Functions(unittest.TestCase):
    """The lengths of Swift functions, and their parameters without a label."""

    def test_lengths_and_labels(self) -> None:
        source = '''
            struct Example {
                init(_ a: Int, _ b: [Int: String] = [:], _ c: (Int, Int) -> Void) { print("} \\(a)") }

                // func none(_ a: Int, _ b: Int, _ c: Int) {}
                func labelled(_ a: Int, with b: Int, of c: Int) -> Int
                where Int: Equatable {
                    let text = """
                        }
                        """
                    return Example.init(1, [:]) { $0 + $1 }
                }

                static func == (_ a: Self, _ b: Self) -> Bool { true }
            }
            '''
        found = {each.name: (each.lines, each.unlabelled) for each in style.swift_functions(PATH, source)}
        self.assertEqual(found, {"init": (1, 3), "labelled": (7, 1), "==": (1, 0)})

    def unlabelled(self, source: str) -> int:
        """The number of parameters without a label that count against the only function of a source."""
        [function] = style.swift_functions(PATH, source)
        return function.unlabelled

    def test_a_test_of_a_table_needs_no_labels(self) -> None:
        head = "func keysHaveTypes(_ key: String, _ type: Int, _ fault: String?) {}"
        self.assertEqual(self.unlabelled(f'@Test("of (aps)", arguments: [("a", 1, nil)])\n    {head}'), 0)
        self.assertEqual(self.unlabelled(f"@Test(.serialized, arguments: keys) @MainActor\n    private {head}"), 0)
        self.assertEqual(self.unlabelled(f"@Test(.serialized) {head}"), 3)

    def test_only_the_test_itself_needs_no_labels(self) -> None:
        source = """
            @Test(arguments: keys)
            func first(_ a: Int, _ b: Int, _ c: Int) { func inner(_ a: Int, _ b: Int, _ c: Int) {} }
            func second(_ a: Int, _ b: Int, _ c: Int) {}
            """
        found = {each.name: each.unlabelled for each in style.swift_functions(PATH, source)}
        self.assertEqual(found, {"first": 0, "inner": 3, "second": 3})

    def test_an_exemption_has_a_reason(self) -> None:
        head = "func add(_ a: Int, _ b: Int, _ c: Int) {}"
        self.assertEqual(self.unlabelled(f"// style: unlabelled — as in the C function\n{head}"), 0)
        self.assertEqual(self.unlabelled(f"// style: unlabelled\n{head}"), 3)
        self.assertEqual(self.unlabelled(f'// style: unlabelled — of another\n\n{head}'), 3)


if __name__ == "__main__":
    unittest.main()
