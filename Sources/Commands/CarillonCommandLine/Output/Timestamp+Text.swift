package import CarillonCore
import Foundation

/// Times as texts: parsed, and written for users.
extension Timestamp {
    /// Parses milliseconds since 1970, or a time such as `2026-07-01T12:00:00Z` (RFC 3339): fractions of a second are
    /// optional, a space may replace the T, and the end is Z or an offset such as `+02:00`.
    package init?(text: String) {
        if let milliseconds = UInt64(text) {
            self.init(milliseconds: milliseconds)
            return
        }
        var scanner = TimeScanner(text)
        guard let day = Self.day(&scanner), scanner.mark("Tt ") != nil,
            let hour = scanner.number(digits: 2, in: 0...23), scanner.mark(":") != nil,
            let minute = scanner.number(digits: 2, in: 0...59), scanner.mark(":") != nil,
            let second = scanner.number(digits: 2, in: 0...60), let milliseconds = scanner.fraction(),
            let offset = scanner.offset(), scanner.isAtEnd
        else { return nil }
        let minutes = (day * 24 + hour) * 60 + minute - offset
        guard minutes >= 0 else { return nil }
        self.init(milliseconds: UInt64((minutes * 60 + second) * 1_000 + milliseconds))
    }

    /// Reads a date; returns its number of days since 1970-01-01.
    private static func day(_ scanner: inout TimeScanner) -> Int? {
        guard let year = scanner.number(digits: 4, in: 1_970...9_999), scanner.mark("-") != nil,
            let month = scanner.number(digits: 2, in: 1...12), scanner.mark("-") != nil,
            let day = scanner.number(digits: 2, in: 1...GregorianDate.dayCount(ofMonth: month, year: year))
        else { return nil }
        return GregorianDate(year: year, month: month, day: day).daysSince1970
    }

    /// The time as `2026-07-01T12:00:00Z`; after the year 9999 as milliseconds.
    package var utcText: String {
        guard milliseconds < 253_402_300_800_000 else { return "\(milliseconds) ms" }
        return Date(timeIntervalSince1970: Double(milliseconds / 1_000)).ISO8601Format()
    }

    /// The time of day in UTC, as `12:00:00`, until the year 9999.
    package var timeOfDay: String { String(utcText.dropFirst("2026-07-01T".count).prefix("12:00:00".count)) }

    /// Returns the time as text relative to `now`: `2 h ago`, `in 5 min`.
    package func relative(to now: Timestamp) -> String {
        if self > now {
            let ahead = milliseconds(since: now)
            return ahead < 1_000 ? "just now" : "in \(TimeSpan(milliseconds: ahead).text)"
        }
        let passed = now.milliseconds(since: self)
        return passed < 1_000 ? "just now" : "\(TimeSpan(milliseconds: passed).text) ago"
    }
}

/// A scanner of the parts of a time such as `2026-07-01T12:00:00.5+02:00`. Each function returns nil, and the time is
/// not valid, if the text goes on with something else.
struct TimeScanner {
    private var remainder: Substring.UTF8View

    init(_ text: String) {
        remainder = Substring(text).utf8
    }

    var isAtEnd: Bool { remainder.isEmpty }

    /// Reads a number of exactly `digits` digits.
    mutating func number(digits: Int, in limits: ClosedRange<Int>) -> Int? {
        let found = remainder.prefix(digits)
        guard found.count == digits, found.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        remainder = remainder.dropFirst(digits)
        let value = found.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return limits.contains(value) ? value : nil
    }

    /// Reads one of these marks.
    mutating func mark(_ marks: StaticString) -> UInt8? {
        guard let first = remainder.first, marks.withUTF8Buffer({ $0.contains(first) }) else { return nil }
        return remainder.popFirst()
    }

    /// Reads the fraction of a second in milliseconds, which is cut after three digits; 0 if there is none.
    mutating func fraction() -> Int? {
        guard mark(".,") != nil else { return 0 }
        let digits = remainder.prefix { 0x30...0x39 ~= $0 }
        guard !digits.isEmpty else { return nil }
        remainder = remainder.dropFirst(digits.count)
        return (0..<3).reduce(0) { $0 * 10 + Int((digits.dropFirst($1).first ?? 0x30) - 0x30) }
    }

    /// Reads the offset from UTC in minutes: `Z`, `+02`, `+0200` or `+02:00`.
    mutating func offset() -> Int? {
        if mark("Zz") != nil { return 0 }
        guard let sign = mark("+-"), let hours = number(digits: 2, in: 0...23) else { return nil }
        _ = mark(":")
        guard let minutes = isAtEnd ? 0 : number(digits: 2, in: 0...59) else { return nil }
        return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }
}
