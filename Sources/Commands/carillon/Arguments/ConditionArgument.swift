import ArgumentParser
import CarillonCore

/// Conditions as arguments of the command line.
extension Condition {
    /// The error of a text that is not a condition shows the position.
    init(argument text: String) throws {
        do throws(ConditionError) {
            try self.init(text)
        } catch {
            throw ValidationError(
                "The condition is wrong: expected \(error.expected).\n\(Self.mark(text, at: error.column))")
        }
    }

    /// Returns the text around a column, in bytes from 1, with a caret below it.
    static func mark(_ text: String, at column: Int) -> String {
        let bytes = Array(text.utf8)
        let position = min(max(column - 1, 0), bytes.count)
        // Control characters, such as line breaks, would move the caret.
        func shown(_ part: ArraySlice<UInt8>) -> String {
            String(
                String.UnicodeScalarView(
                    String(decoding: part, as: UTF8.self).unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
        }
        var (before, after) = (shown(bytes[..<position]), shown(bytes[position...]))
        if before.count > 50 { before = "…" + before.suffix(49) }
        if after.count > 26 { after = after.prefix(25) + "…" }
        return "  \(before)\(after)\n  \(String(repeating: " ", count: before.count))^"
    }
}
