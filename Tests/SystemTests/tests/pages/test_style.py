"""Tools/support/style.py finds what it should and nothing else."""
from __future__ import annotations

import sys
import unittest
from typing import List

from support.environment import ROOT

sys.path.insert(0, str(ROOT / "Tools" / "support"))

import style  # noqa: E402  (importable only now)
from style_rules import (  # noqa: E402
    assertions, comment_names, expectations, function_lengths, javascript_source, nested_names, part_writers,
    swift_rules, unused_imports)

PATH = ROOT / "Sources" / "Example.swift"


class RetiredWordsTests(unittest.TestCase):
    """Retired words are found as whole words, also inside identifiers."""

    def found(self, line: str) -> int:
        """Returns the number of retired words in a line, for two example terms."""
        return len(list(style.check_words(PATH, [line], [("ledger",), ("address", "book")])))  # style: old names

    def test_identifiers_are_split(self) -> None:
        for line in ("let ledgerRow = 1", "LEDGER_SIZE", "// the ledgers"):  # style: old names
            self.assertEqual(self.found(line), 1, line)
        for line in ("case addressBook", "# an address book"):  # style: old names
            self.assertEqual(self.found(line), 1, line)

    def test_parts_of_words_are_not_found(self) -> None:
        for line in ("acknowledgerment", "the address of a book", "let entry = 1"):
            self.assertEqual(self.found(line), 0, line)

    def test_words_are_searched_in_other_languages_too(self) -> None:
        names = {str(path.relative_to(ROOT)) for path in style.other_code()}
        clients = "Protocol/clients"
        for name in ("go/reader.go", "node/index.d.ts", "java/src/main/java/carillon/client/Code.java"):
            self.assertIn(f"{clients}/{name}", names)
            self.assertEqual(len(list(style.check_words(ROOT / clients / name, ["// nobody"],  # style: old names
                                                        style.retired_words()))), 1)

    def test_foreign_names_are_no_findings(self) -> None:
        for line in ("throw ExitCode(1)", "errors.Is(err, context.Canceled)"):
            self.assertEqual(list(style.check_words(PATH, [line], style.retired_words())), [], line)

    def test_the_list_can_be_read(self) -> None:
        words = style.retired_words()
        self.assertGreater(len(words), 15)
        self.assertTrue(all(word.isalpha() for term in words for word in term), words)


class BoundsAndBudgetsTests(unittest.TestCase):
    """Bounds are maximum or minimum, and a budget is of memory or of silent pushes."""

    def bounds(self, line: str) -> list:
        """Returns what the findings about the bounds in a line of Swift say."""
        return [text.partition(";")[0] for _, text in swift_rules.bounds("Sources/Example.swift", line)]

    def test_other_words_for_bounds_are_found(self) -> None:
        for name in ("mostBytes", "leastRows", "maxDepth", "minWidth", "byteLimit"):
            self.assertEqual(self.bounds(f"    private static let {name} = 1"), [name])
        for line in ("let maximumBytes = 1", "var minimumRows: Int", "let limit = 1",
                     "let maxStreams = settings.maxStreams"):
            self.assertEqual(self.bounds(line), [], line)

    def budgets(self, *lines: str, name: str = "Sources/Example.swift") -> int:
        """Returns the number of findings about budgets."""
        return len(list(style.check_budgets(ROOT / name, list(lines))))

    def test_a_budget_says_of_what_it_is(self) -> None:
        self.assertEqual(self.budgets("/// Takes one request from the budget."), 1)
        self.assertEqual(self.budgets('fail("the budget is spent")'), 1)
        self.assertEqual(self.budgets("A budget is a number.", name="README.md"), 1)
        self.assertEqual(self.budgets("/// The memory budget.", "/// Bytes of the budget."), 0)
        self.assertEqual(self.budgets("let budget = state.budget"), 0)

    def test_budgets_in_other_languages_are_found(self) -> None:
        for name, line in (("Code.java", "    /** The principal's budget is spent. */"), ("code.go", "// Its budget."),
                           ("core.js", " * The budget."), ("client.py", "# The budget.")):
            self.assertEqual(self.budgets(line, name=f"Protocol/clients/{name}"), 1, line)
        self.assertEqual(self.budgets("if budget > 0 {", name="Protocol/clients/code.go"), 0)


class FunctionRulesTests(unittest.TestCase):
    """The lengths of Swift functions, and their parameters without a label."""

    def test_long_functions_and_parameters_without_labels_are_found(self) -> None:
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
        found = {each.name: (each.lines, each.unlabelled) for each in function_lengths.swift_functions(PATH, source)}
        self.assertEqual(found, {"init": (1, 3), "labelled": (7, 1), "==": (1, 0)})

    def unlabelled(self, source: str) -> int:
        """Returns the number of parameters without a label that count against the only function of a source."""
        [function] = function_lengths.swift_functions(PATH, source)
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
        found = {each.name: each.unlabelled for each in function_lengths.swift_functions(PATH, source)}
        self.assertEqual(found, {"first": 0, "inner": 3, "second": 3})

    def test_an_exemption_has_a_reason(self) -> None:
        head = "func add(_ a: Int, _ b: Int, _ c: Int) {}"
        self.assertEqual(self.unlabelled(f"// style: unlabelled — as in the C function\n{head}"), 0)
        self.assertEqual(self.unlabelled(f"// style: unlabelled\n{head}"), 3)
        [exempt] = function_lengths.swift_functions(PATH, f"// style: unlabelled — as in the C function\n{head}")
        self.assertTrue(exempt.has_excuse)
        self.assertEqual(self.unlabelled(f'// style: unlabelled — of another\n\n{head}'), 3)

    def test_an_exemption_that_exempts_nothing_is_found(self) -> None:
        def needless(parameters: str) -> bool:
            source = f"func f(  // style: unlabelled: a table\n{parameters}) {{}}"
            [function] = function_lengths.swift_functions(PATH, source)
            return function.needs_no_exemption

        self.assertFalse(needless("_ a: Int, _ b: Int, _ c: Int"))
        self.assertTrue(needless("_ a: Int, _ b: Int, of c: Int"))


class JavaScriptFunctionsTests(unittest.TestCase):
    """The JavaScript of the console has short lines and functions."""

    PATH = ROOT / "Sources" / "CarillonHTTP" / "Assets" / "example.js"

    def lengths(self, source: str) -> dict:
        """Returns the lengths of the functions of a source by their names."""
        return {each.name: each.lines for each in javascript_source.javascript_functions(source)}

    def test_functions_of_all_forms_are_found(self) -> None:
        self.assertEqual(self.lengths("async function load(a, { b } = {}) {\n}"), {"load": 2})
        self.assertEqual(self.lengths("const read = async (a) => {\n\n};"), {"read": 3})
        self.assertEqual(self.lengths("const one = each => {\n};"), {"one": 2})
        self.assertEqual(self.lengths("x = {\n  get app() { return 1; },\n  say(text, now = f(1)) {\n  },\n};"),
                         {"app": 1, "say": 2})
        self.assertEqual(self.lengths("function outer() {\n  list.map(() => {\n  });\n}"),
                         {"outer": 4, "a function": 2})

    def test_other_blocks_are_no_functions(self) -> None:
        for line in ("if (a) {\n}", "for (const a of b) {\n}", "switch (a) {\n}", "while (f()) {\n}", "f(a, {\n});",
                     "try {\n} catch (problem) {\n}", "const f = (a) => g({\n});"):
            self.assertEqual(self.lengths(line), {}, line)

    def test_braces_in_text_are_not_counted(self) -> None:
        for text in ("'}'", '"}"', "`}`", "`a ${f(`}`)} {`", "a.replace(/[}/]}/g, '')", "1 // }", "1 /* } */",
                     "'it\\'s }'", "a / b; // }"):
            self.assertEqual(self.lengths(f"function f() {{\n  return {text}\n}}"), {"f": 3}, text)

    def found(self, *lines: str) -> list:
        """Returns the rules that a script breaks."""
        examination = style.Examination()
        examination.read_code(self.PATH, "\n".join(lines), list(lines))
        return [each.rule for each in examination.findings]

    def test_long_lines_and_functions_are_found(self) -> None:
        self.assertEqual(self.found("a" * 120, "function f() {", *[""] * 43, "}"), [])
        self.assertEqual(self.found("a" * 121, "function f() {", *[""] * 44, "}"), ["columns", "functions"])

    def test_long_lines_of_any_language_are_found(self) -> None:
        for name in ("code.go", "Code.java", "core.js", "disk.c"):
            lines = ["a" * 120, "a" * 121]
            found = style.check_other_code(style.ROOT / name, lines, [])
            self.assertEqual([(each.rule, each.line) for each in found], [("columns", 2)], name)

    def test_the_console_is_examined(self) -> None:
        scripts = {path.name for path in style.source_files() if path.suffix == ".js"}
        self.assertIn("compose.js", scripts)
        self.assertNotIn("benchmark.js", scripts)

    def test_a_long_file_of_any_language_has_a_reason(self) -> None:
        names = {path.name for path in style.other_code()}
        self.assertLessEqual({"carillon.lua", "session.js", "Requests.java", "send.go", "index.d.ts"}, names)
        self.assertNotIn("compose.js", names)

        def found(head: str) -> int:
            return len(list(style.check_file(style.ROOT / "long.lua", [head, *[""] * style.MAXIMUM_FILE_LINES])))

        self.assertEqual(found("-- A dissector."), 1)
        self.assertEqual(found("-- Long: Wireshark loads one file."), 0)
        self.assertEqual(found("// Code generated by a program of layouts.json. DO NOT EDIT."), 0)


class PartWritersTests(unittest.TestCase):
    """Extensions of a large type in other files assign none of its variables."""

    TYPE = """
        /// A session.
        struct ServerSession {
            var state = State()
            private(set) var count = 0
            mutating func finish() { state = State() }
        }
        """

    def found(self, extension: str, files: int = part_writers.MINIMUM_EXTENSIONS) -> List[str]:
        """Returns what the findings say of a type with an extension, if that many files extend the type."""
        stem = "Sources/Server/CarillonServer/ServerSession"
        return [text for _, _, text in part_writers.findings({
            f"{stem}.swift": [line[8:] for line in self.TYPE.splitlines()],
            f"{stem}+Ending.swift": [f"extension ServerSession {{ {extension} }}"],
            **{f"{stem}+Part{number}.swift": [] for number in range(1, files)}})]

    def test_an_extension_that_assigns_a_variable_is_found(self) -> None:
        for code in ("state = State()", "state.isOpen = false", "state[1] += 2", "self.state = State()"):
            self.assertEqual(self.found(code), ["assigns state of ServerSession, whose extensions assign no variable"],
                             code)
        self.assertEqual(self.found("count += 1"),
                         ["assigns count of ServerSession, whose extensions assign no variable"])

    def test_an_extension_that_calls_or_reads_is_not_found(self) -> None:
        for code in ("state.close()", "if state.isLate() {}", "let state = 1", "if state == other {}",
                     "turn.state = State()", "// state = State()"):
            self.assertEqual(self.found(code), [], code)

    def test_extensions_of_a_type_with_few_of_them_may_assign(self) -> None:
        self.assertEqual(self.found("state = State()", files=part_writers.MINIMUM_EXTENSIONS - 1), [])


class ExpectationsTests(unittest.TestCase):
    """Tests of Swift say what is wrong."""

    def found(self, source: str) -> list:
        """Returns what the findings about the expectations of a source say."""
        return [text for _, text in expectations.findings(source)]

    def test_a_test_has_twelve_expectations_at_most(self) -> None:
        checks = "#expect(a == 1)\n" * 11 + "let b = try #require(a)\n"
        self.assertEqual(self.found(f"@Test func `it has twelve`() {{\n{checks}}}"), [])
        self.assertEqual(self.found(f"@Test(arguments: [1]) func `it has 13`(a: Int) {{\n{checks}#expect(b)\n}}"),
                         ["_it_has_13_ has 13 expectations; 12 are the most"])
        excused = f"// style: expectations: a table\n@Test func `it has 13`() {{\n{checks}#expect(b)\n}}"
        self.assertEqual(self.found(excused), [])

    def test_the_name_of_a_test_is_a_sentence(self) -> None:
        self.assertEqual(self.found("@Test(arguments: [(1, 2)])\nfunc aDeviceMoves() throws {}"),
                         ["aDeviceMoves is the name of a test: write it as `a sentence`"])
        self.assertEqual(len(self.found("@Test func `aDeviceMoves`() {}")), 1)
        self.assertEqual(self.found("@Test func `a device moves, as \"it\" does`() {}\nfunc helper() {}"), [])

    def test_a_suite_has_an_attribute_for_what_it_says(self) -> None:
        self.assertEqual(len(self.found("@Suite struct PlainTests {}")), 1)
        self.assertEqual(self.found('@Suite(.cleansUp) struct ATests {}\n@Suite("Rules") struct BTests {}'), [])

    def test_an_expectation_has_one_condition(self) -> None:
        for condition in ("a && b", "[1].allSatisfy { $0 > 0 && $0 < 9 }", "a || b == c", "isDue ? a : b == 2",
                          "(a == nil) == (b == nil)", "(try? a(b)) == nil && c"):
            with self.subTest(condition):
                self.assertEqual(len(self.found(f"#expect({condition})")), 1)
        for condition in ("a == (isDue ? 1 : 2)", "text.allSatisfy { $0.isNumber || $0.isLowercase }",
                          "(a != nil) == isDue", "a as Int? == nil"):
            with self.subTest(condition):
                self.assertEqual(self.found(f"#expect({condition})"), [])


class AssertionsTests(unittest.TestCase):
    """Tests of Python say what is wrong."""

    def found(self, *lines: str) -> list:
        """Returns what the findings about a test say."""
        source = "\n".join(["def test_a(self):", *(f"    {line}" for line in lines)])
        return [text for _, text in assertions.findings(source)]

    def test_an_assertion_has_one_condition(self) -> None:
        for joined in ("self.assertTrue(a and b)", "self.assertFalse(a or b)", "self.assertEqual([a, not b], c)",
                       "self.assertEqual((a, b in c), (1, True))"):
            with self.subTest(joined):
                self.assertEqual(self.found(joined), ["an assertion has one condition: split it"])
        for single in ("self.assertTrue(all(a and b for a in c))", "self.assertEqual((a, b), (1, 2))",
                       "self.assertEqual(a in b, isThere)"):
            with self.subTest(single):
                self.assertEqual(self.found(single), [])

    def test_a_test_has_twelve_assertions_at_most(self) -> None:
        self.assertEqual(self.found(*["self.assertEqual(a, b)"] * 12), [])
        self.assertEqual(self.found(*["self.assertEqual(a, b)"] * 13),
                         ["test_a has 13 assertions; 12 are the most"])


class ErrorNamesTests(unittest.TestCase):
    """What is thrown is called an error."""

    def found(self, source: str, name: str = "Sources/Example.swift") -> int:
        """Returns the number of findings."""
        return len(list(swift_rules.errors(name, source)))

    def test_a_thrown_type_ends_in_error(self) -> None:
        self.assertEqual(self.found("enum ParseFault: Error {}\nextension Pair.Fault: Swift.Error {}"), 2)
        self.assertEqual(self.found("enum ParseError: Error, Hashable {}\nstruct Fault: Hashable {}"), 0)
        self.assertEqual(self.found("enum ParseFault: Error {}", name="Tests/Example.swift"), 0)


class UnusedImportsTests(unittest.TestCase):
    """An import is there because the file uses a name of the module."""

    def found(self, text: str, path: str = "Sources/Domain/CarillonWire/Frame.swift") -> List[str]:
        """Returns what is wrong with the imports of a file."""
        core = ["public struct Device {", "    public init(named name: String) {}", "}", "func <> (a: Int, b: Int) {}"]
        files = {"Sources/Domain/CarillonCore/Device.swift": core, path: text.splitlines()}
        return [text for _, _, text in unused_imports.findings(files)]

    def test_an_import_without_a_use_is_found(self) -> None:
        for name in ("CarillonCore", "Synchronization"):
            self.assertEqual(self.found(f"package import {name}\n\n// A Device.\nlet a = 1"),
                             [f"no name of {name} is used"])

    def test_a_name_a_label_and_an_operator_are_uses(self) -> None:
        for use in ("let a: Device", "let a = Other(named: b)", "let a = 1 <> 2", "let text = \"\\(Device.self)\""):
            self.assertEqual(self.found(f"import CarillonCore\n{use}"), [], use)

    def test_modules_of_many_names_are_not_judged(self) -> None:
        self.assertEqual(self.found("import Foundation\nlet a = 1"), [])


class DocCommentsTests(unittest.TestCase):
    """First words of comments, comments of extensions, and of parameters."""

    def test_a_doc_comment_names_the_thing_first(self) -> None:
        def found(*lines: str) -> List[int]:
            return [line for line, _ in swift_rules.first_words("Sources/Example.swift", "\n".join(lines))]

        self.assertEqual(found("/// What is waited for.", "let pause: Int"), [1])
        self.assertEqual(found("/// A pause.", "/// It ends.", "let pause: Int", "/// It ends."), [4])
        self.assertEqual(found("/// How a pause ends.", "let pause: Int"), [1])
        self.assertEqual(found("/// How long a pause lasts.", "let pause: Int"), [])
        self.assertEqual(found("/// Items.", "// What a pause is.", "let pause: Int"), [])

    def test_a_doc_comment_may_say_when_a_callback_is_called(self) -> None:
        for comment in ("Called when the connection has opened.", "Called with each answer."):
            found = swift_rules.first_words("Sources/Example.swift", f"/// {comment}\nlet handler: () -> Void")
            self.assertEqual(list(found), [], comment)

    def test_an_extension_that_begins_a_file_says_what_is_in_it(self) -> None:
        def found(source: str, name: str = "Sources/Example.swift") -> List[int]:
            return [line for line, _ in swift_rules.extensions(name, source)]

        self.assertEqual(found("package import Core\n\nextension Pair {}\n"), [3])
        self.assertEqual(found("import Core\n\n/// Sums.\n@available(macOS 15, *)\nextension Pair {}\n"), [])
        self.assertEqual(found("struct Pair {}\n\nextension Pair {}\n"), [])
        self.assertEqual(found("extension Pair {}\n", name="Tests/Example.swift"), [])

    def test_a_documented_parameter_exists(self) -> None:
        def found(*lines: str) -> List[int]:
            return [line for line, _ in swift_rules.parameters("Sources/Example.swift", "\n".join(lines))]

        self.assertEqual(found("/// - Parameter pause: a time.", "func wait(pauseMilliseconds: Int) {}"), [1])
        self.assertEqual(found("/// - Parameter pause: a time.", "@inline(never)", "func wait(for pause: Int) {}"), [])
        lines = ["/// - Parameters:", "///   - a: one.", "///   - b: two.", "init(", "    a: Int", ") {}"]
        self.assertEqual(found(*lines), [3])


class NestedNamesTests(unittest.TestCase):
    """A nested type does not repeat what the type around it says."""

    def found(self, *lines: str) -> List[str]:
        """Returns what the findings about a file say."""
        return [text for _, text in nested_names.findings("\n".join(lines))]

    def test_a_first_word_of_the_outer_type_is_found(self) -> None:
        self.assertEqual(self.found("struct LayoutTable {", "    struct LayoutError: Error {}", "}"),
                         ["LayoutTable.LayoutError says “Layout” twice"])
        self.assertEqual(self.found("enum Frames {", "    enum FrameType { case data }", "}"),
                         ["Frames.FrameType says “Frame” twice"])
        self.assertEqual(self.found("extension Client.SetUp {", "    enum UpState { case a }", "}"),
                         ["SetUp.UpState says “Up” twice"])

    def test_the_last_word_of_the_outer_type_is_found(self) -> None:
        self.assertEqual(self.found("struct Settings {", "    struct ProxySettings {}", "    enum Settings {}", "}"),
                         ["Settings.ProxySettings says “Settings” twice", "Settings.Settings says “Settings” twice"])

    def test_what_a_type_has_is_named_by_its_word(self) -> None:
        for outer, name in (("SessionTable", "Session"), ("PoolManager", "OpenPool"), ("Layout", "Layouts")):
            self.assertEqual(self.found(f"struct {outer} {{", f"    struct {name} {{}}", "}"), [], name)

    def test_only_the_type_around_it_counts(self) -> None:
        self.assertEqual(self.found("struct Layout {}", "struct LayoutError {}"), [])
        self.assertEqual(self.found("struct Layout {", "    enum Kind { struct LayoutError {} }", "}"), [])
        self.assertEqual(self.found("struct Layout { // struct LayoutError {}", "}"), [])

    def test_a_reason_exempts(self) -> None:
        lines = ["struct WebPush {", "    /// One.", "    // style: nested: a standard term", "    enum PushService {}",
                 "}"]
        self.assertEqual(self.found(*lines), [])
        self.assertEqual(len(self.found(*(line.partition(":")[0] for line in lines))), 1)


class LengthsTests(unittest.TestCase):
    """Lengths of lines and of functions in Python."""

    def test_a_line_has_120_columns_at_most(self) -> None:
        for name, found in (("a.py", 1), ("a.sh", 1), ("a", 1), ("a.swift", 1), ("Generated/a.swift", 0)):
            lines = ["x" * 120, "y" * 121]
            self.assertEqual(len(list(style.check_columns(ROOT / name, lines))), found, name)

    def test_a_function_of_a_client_has_45_lines_at_most_and_one_of_its_tests_70(self) -> None:
        heads = {"go/a.go": "func (c *Client) f() {", "go/a_test.go": "func f() {", "node/src/a.js": "function f() {",
                 "node/test/a.js": "async function f() {", "swift/a.swift": "func f() {"}
        for name, head in heads.items():
            limit = 70 if "test" in name else 45

            def is_too_long(lines: int) -> bool:
                source = "\n".join([head, *[""] * (lines - 2), "}"])
                [function] = function_lengths.functions(ROOT / "Protocol/clients" / name, source)
                return function.is_too_long

            self.assertEqual([is_too_long(limit), is_too_long(limit + 1)], [False, True], name)

    def test_go_that_is_generated_or_has_one_line_is_not_too_long(self) -> None:
        def lengths(source: str) -> list:
            return [each.lines for each in function_lengths.functions(ROOT / "a.go", source)]

        body = "\n" * 99
        self.assertEqual(lengths(f"func f() {{ g() }}\n\nvar x = 1\n\nfunc g(\n\ta int,\n) {{{body}}}\n"), [1, 102])
        self.assertEqual(lengths(f"// Code generated by x. DO NOT EDIT.\n\nfunc g() {{{body}}}"), [])

    def test_a_function_has_45_lines_at_most_without_its_docstring(self) -> None:
        def is_too_long(lines: int, head: str = "", path: str = "Tools/a.py") -> bool:
            source = f'{head}\ndef f():\n    """Text.\n\n    More.\n    """\n' + "    pass\n" * (lines - 1)
            [function] = function_lengths.functions(ROOT / path, source)
            return function.is_too_long

        self.assertEqual([is_too_long(45), is_too_long(46)], [False, True])
        self.assertFalse(is_too_long(99, "# style: table: a branch for each field"))
        self.assertFalse(is_too_long(99, path="Protocol/vectors/a.py"))


class CommentNamesTests(unittest.TestCase):
    """Names in comments are those of code."""

    def test_a_name_that_no_code_has_is_found(self) -> None:
        lines = ["/// Longer than `raceDelay`, see `Limits.raceMilliseconds` and ``open(_:at:)``.",
                 'let raceMilliseconds = "`noComment`"  // As `openAgain(_:)` has it.', "// A key: `pace`."]
        found = comment_names.findings({"A.swift": lines}, {"raceMilliseconds", "open"})
        self.assertEqual(list(found), [("A.swift", 1, "raceDelay"), ("A.swift", 2, "openAgain")])

    def test_a_single_word_that_a_comment_calls_is_declared_or_called_by_its_type(self) -> None:
        lines = ["/// Waits for the call of `stopped`. Others call it through `submit`, then until ``close()``.",
                 "/// Calls `body` until `finish` throws; ask the loop by a call of `submit` of the loop.",
                 "func wait(_ body: () -> Void) { if state == .stopped { session.close() } }"]
        more = {"A+End.swift": ["func finish() {}"], "B.swift": ["func submit() {}"]}
        found = comment_names.findings({"A.swift": lines, **more}, set())
        self.assertEqual(list(found), [("A.swift", 1, "stopped"), ("A.swift", 1, "submit")])


if __name__ == "__main__":
    unittest.main()
