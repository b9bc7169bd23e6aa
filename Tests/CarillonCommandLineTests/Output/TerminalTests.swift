import CarillonCommandLine
import Testing

@testable import carillon

/// The columns that texts take, and what is shortened when a table is wider than the terminal.
struct TerminalTests {
    @Test(arguments: [
        ("abc", 3), ("", 0), ("今晚公會戰", 10), ("größe", 5), ("e\u{301}", 1), ("👨‍👩‍👧", 2), ("🔔!", 3), ("ｱ", 1), ("Ａ", 2),
        ("한글", 4), ("❤️", 2), ("a\tb", 2), ("█░", 2), ("…", 1),
    ])
    func theWidthOfATextIsItsNumberOfColumns(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test(arguments: [
        ("level5", 6, "level5"), ("level55", 6, "level…"), ("今晚公會戰", 10, "今晚公會戰"), ("今晚公會戰", 9, "今晚公會…"),
        ("今晚公會戰", 8, "今晚公…"), ("ab", 1, "…"), ("ab", 0, ""),
    ])
    func aTextIsShortenedToItsWidth(text: String, width: Int, shown: String) {
        #expect(text.fitted(to: width) == shown)
        #expect(text.fitted(to: width).columns <= width)
    }

    private var table: TextTable {
        var table = TextTable([("DEVICES", .right), ("TOPIC", .left), ("SEEN", .note)])
        table.add(["5,000", "a-topic-with-a-long-name", "just now"])
        table.add(["7", "公會戰", "never"])
        return table
    }

    @Test(arguments: [
        (
            80,
            [
                "DEVICES  TOPIC                     SEEN", "  5,000  a-topic-with-a-long-name  just now",
                "      7  公會戰                    never",
            ]
        ),
        (34, ["DEVICES  TOPIC", "  5,000  a-topic-with-a-long-name", "      7  公會戰"]),
        (20, ["DEVICES  TOPIC", "  5,000  a-topic-wi…", "      7  公會戰"]),
        (5, ["DEVICES  TOPIC", "  5,000  a-topic…", "      7  公會戰"]),
    ])
    func aNarrowTerminalShowsNoNotesAndThenShorterNames(width: Int, lines: [String]) {
        #expect(table.lines(width: width) == lines)
    }

    @Test func namesOfTwoColumnsStandUnderEachOther() {
        #expect(
            Terminal.table([("公會戰", "guild"), ("topic", "level5")], columns: nil) == "公會戰  guild\ntopic   level5")
    }

    /// The output of a program, its environment, and true if the output has colors.
    struct Output: CustomTestStringConvertible {
        var isTerminal = true
        var environment: [String: String] = [:]
        let hasColors: Bool

        var testDescription: String { "\(isTerminal ? "a terminal" : "a file") with \(environment)" }
    }

    @Test(
        arguments: [
            Output(hasColors: true),
            Output(isTerminal: false, hasColors: false),
            Output(environment: ["NO_COLOR": "1"], hasColors: false),
            Output(environment: ["NO_COLOR": ""], hasColors: true),
            Output(environment: ["TERM": "dumb"], hasColors: false),
            Output(environment: ["TERM": "xterm"], hasColors: true),
        ])
    func colorsFollowTheTerminalAndTheEnvironment(_ output: Output) {
        let style = TerminalColors.detected(isTerminal: output.isTerminal, environment: output.environment)
        #expect(style.apply(.bad, to: "x") == (output.hasColors ? "\u{1B}[31mx\u{1B}[0m" : "x"))
        #expect(style.apply(.plain, to: "x") == "x")
    }

    @Test func theCellsOfATableAreBrokenBetweenWords() {
        #expect(
            Terminal.table([("groups", "user/1, user/2, user/3, user/4"), ("x", "y")], columns: 31) == """
                groups  user/1, user/2, user/3,
                        user/4
                x       y
                """
        )
        let token = String(repeating: "0", count: 64)
        #expect(Terminal.table([("token", token)], columns: 30) == "token  \(token)")
    }
}
