/// A scanner of the parts of a time such as `2026-07-01T12:00:00.5+02:00`. Each function returns nil, and the time is
/// not valid, if the text goes on with something else.
struct TimeScanner {
    private var remainder: Substring.UTF8View

    init(_ text: String) {
        remainder = Substring(text).utf8
    }

    var isAtEnd: Bool { remainder.isEmpty }

    /// Reads a number of exactly `digits` digits.
    mutating func number(digits: Int, in limits: ClosedRange<Int64>) -> Int64? {
        let found = remainder.prefix(digits)
        guard found.count == digits, found.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        remainder = remainder.dropFirst(digits)
        let value = found.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        return limits.contains(value) ? value : nil
    }

    /// Reads one of these marks.
    mutating func mark(_ marks: StaticString) -> UInt8? {
        guard let first = remainder.first, marks.withUTF8Buffer({ $0.contains(first) }) else { return nil }
        return remainder.popFirst()
    }

    /// Reads the fraction of a second in milliseconds, which is cut after three digits; 0 if there is none.
    mutating func fraction() -> Int64? {
        guard mark(".,") != nil else { return 0 }
        let digits = remainder.prefix { 0x30...0x39 ~= $0 }
        guard !digits.isEmpty else { return nil }
        remainder = remainder.dropFirst(digits.count)
        return (0..<3).reduce(0) { $0 * 10 + Int64((digits.dropFirst($1).first ?? 0x30) - 0x30) }
    }

    /// Reads the offset from UTC in minutes: `Z`, `+02`, `+0200` or `+02:00`.
    mutating func offset() -> Int64? {
        if mark("Zz") != nil { return 0 }
        guard let sign = mark("+-"), let hours = number(digits: 2, in: 0...23) else { return nil }
        _ = mark(":")
        guard let minutes = isAtEnd ? 0 : number(digits: 2, in: 0...59) else { return nil }
        return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }
}
