import CarillonCommandLine
import CarillonCore
import Testing

@testable import carillon

/// The place of a fault in a condition.
struct AudienceOptionsTests {
    @Test(arguments: [
        ("'a' in topcs", 8, "  'a' in topcs\n         ^"), ("", 1, "  \n  ^"),
        ("'ä' in\ntopcs", 9, "  'ä' in topcs\n         ^"),
    ])
    func `a caret stands under the column`(text: String, column: Int, shown: String) {
        #expect(Condition.mark(text, at: column) == shown)
    }

    @Test func `the faulty place of a long condition is shown`() {
        let text =
            String(repeating: "('a' in topics) || ", count: 30) + "'b' on topics || "
            + String(repeating: "x", count: 99)
        let lines = Condition.mark(text, at: 575).split(separator: "\n")
        #expect(lines.map(\.count) == [2 + 50 + 26, 2 + 50 + 1])
        #expect(lines[0].dropFirst(52).hasPrefix("on topics"))
    }
}
