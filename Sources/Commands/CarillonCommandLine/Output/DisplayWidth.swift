/// The width of texts on a terminal: a Chinese character or an emoji has two columns, a combining mark has none.
extension String {
    package var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Returns the text, shortened to `width` columns with an ellipsis.
    package func fitted(to width: Int) -> String {
        guard columns > width else { return self }
        guard width > 0 else { return "" }
        var text = ""
        var taken = 0
        for character in self {
            taken += character.columns
            if taken > width - 1 { break }
            text.append(character)
        }
        return text + "…"
    }

    /// Returns the words of the text on lines of at most `width` columns; a longer word gets its own line.
    func wrapped(to width: Int) -> [String] {
        guard columns > width else { return [self] }
        var lines = [""]
        for word in split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.columns + 1 + String(word).columns <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    /// Returns the text padded with spaces on the right to `width` columns.
    package func leftAligned(in width: Int) -> String { self + String(repeating: " ", count: max(0, width - columns)) }

    /// Returns the text padded with spaces on the left to `width` columns.
    package func rightAligned(in width: Int) -> String { String(repeating: " ", count: max(0, width - columns)) + self }
}

extension Character {
    /// The assigned blocks of Unicode's East Asian Width W and F.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]

    /// The variation selector for the colored form of the character before it, which is wide.
    private static let emojiSelector: UInt32 = 0xFE0F

    fileprivate var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        switch first.properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        let isWide = unicodeScalars.contains { scalar in
            scalar.value == Self.emojiSelector || scalar.properties.isEmojiPresentation
                || (scalar.value >= 0x1100 && Self.wide.contains { $0.contains(scalar.value) })
        }
        return isWide ? 2 : 1
    }
}
