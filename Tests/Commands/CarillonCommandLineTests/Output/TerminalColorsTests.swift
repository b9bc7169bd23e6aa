import CarillonCommandLine
import Testing

struct TerminalColorsTests {
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
    func `colors follow the terminal and the environment`(_ output: Output) {
        let style = TerminalColors.detected(isTerminal: output.isTerminal, environment: output.environment)
        #expect(style.apply(.bad, to: "x") == (output.hasColors ? "\u{1B}[31mx\u{1B}[0m" : "x"))
        #expect(style.apply(.plain, to: "x") == "x")
    }
}
