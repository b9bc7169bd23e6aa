import ArgumentParser
package import CarillonCore
import Foundation

/// A length of time as people write it: `90`, `90s`, `500ms`, `5m`, `2h`, `1d`. Without a unit it is seconds.
package struct TimeSpan: ExpressibleByArgument, Equatable {
    /// The length.
    package var milliseconds: UInt64

    /// The length as the standard library has it.
    package var duration: Duration { .milliseconds(Int64(clamping: milliseconds)) }

    /// Makes a length.
    package init(milliseconds: UInt64) {
        self.milliseconds = milliseconds
    }

    /// Reads an argument of the command line.
    package init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let units: [String: UInt64] = [
            "ms": 1, "": 1_000, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000,
        ]
        guard let number = UInt64(digits), let unit = units[String(argument.dropFirst(digits.count))] else {
            return nil
        }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit)
        // A century is enough, and leaves sums with the current time far from any overflow.
        guard !overflow, milliseconds <= 3_155_760_000_000 else { return nil }
        self.milliseconds = milliseconds
    }

    /// The way back, in the largest unit that loses nothing.
    package var defaultValueDescription: String {
        milliseconds.isMultiple(of: 1_000) ? "\(milliseconds / 1_000)s" : "\(milliseconds)ms"
    }
}

/// A point of time as people write it: `2026-07-01T12:00:00Z` or milliseconds since 1970.
package struct TimeArgument: ExpressibleByArgument, Equatable {
    /// The point of time.
    package var time: Timestamp

    /// Reads an argument of the command line.
    package init?(argument: String) {
        guard let time = Timestamp(text: argument) else { return nil }
        self.time = time
    }
}

/// A point of time, or as `+10m` one that far from now.
package enum MomentArgument: ExpressibleByArgument, Equatable {
    /// That time.
    case time(Timestamp)
    /// So long from now.
    case fromNow(TimeSpan)

    /// Reads an argument of the command line.
    package init?(argument: String) {
        if argument.hasPrefix("+") {
            guard let span = TimeSpan(argument: String(argument.dropFirst())) else { return nil }
            self = .fromNow(span)
        } else {
            guard let time = Timestamp(text: argument) else { return nil }
            self = .time(time)
        }
    }

    /// The point of time.
    package func time(at now: Timestamp) -> Timestamp {
        switch self {
        case .time(let time): time
        case .fromNow(let span): now.advanced(byMilliseconds: span.milliseconds)
        }
    }
}

extension Timestamp {
    /// The wall clock's time.
    package static var now: Timestamp {
        Timestamp(milliseconds: UInt64(max(Date().timeIntervalSince1970, 0) * 1_000))
    }

    /// Reads milliseconds since 1970, or a time as `2026-07-01T12:00:00Z` (RFC 3339): with fractions of a second or not,
    /// a space in the place of the T, and Z or a difference as `+02:00`.
    package init?(text: String) {
        if let milliseconds = UInt64(text) {
            self.init(milliseconds: milliseconds)
            return
        }
        var rest = Substring(text).utf8
        func number(_ count: Int, _ limits: ClosedRange<Int64>) -> Int64? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
            rest = rest.dropFirst(count)
            let value = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
            return limits.contains(value) ? value : nil
        }
        func take(_ marks: StaticString) -> UInt8? {
            guard let first = rest.first, marks.withUTF8Buffer({ $0.contains(first) }) else { return nil }
            return rest.popFirst()
        }
        guard let year = number(4, 1_970...9_999), take("-") != nil, let month = number(2, 1...12), take("-") != nil,
            let day = number(2, 1...Self.days(of: month, year)), take("Tt ") != nil,
            let hour = number(2, 0...23), take(":") != nil, let minute = number(2, 0...59), take(":") != nil,
            let second = number(2, 0...60)
        else { return nil }
        var milliseconds: Int64 = 0
        if take(".,") != nil {
            let digits = rest.prefix { 0x30...0x39 ~= $0 }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            for place in 0..<3 {
                milliseconds = milliseconds * 10 + Int64((digits.dropFirst(place).first ?? 0x30) - 0x30)
            }
        }
        var difference: Int64 = 0
        if take("Zz") == nil {
            guard let sign = take("+-"), let hours = number(2, 0...23) else { return nil }
            _ = take(":")
            guard let minutes = rest.isEmpty ? 0 : number(2, 0...59) else { return nil }
            difference = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
        }
        guard rest.isEmpty else { return nil }
        let minutes = (Self.day(year, month, day) * 24 + hour) * 60 + minute - difference
        guard minutes >= 0 else { return nil }
        self.init(milliseconds: UInt64((minutes * 60 + second) * 1_000 + milliseconds))
    }

    private static func days(of month: Int64, _ year: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [4, 6, 9, 11].contains(month) ? 30 : month == 2 ? (isLeap ? 29 : 28) : 31
    }

    /// Days from 1970-01-01 to a day of the Gregorian calendar, counted in years that begin in March.
    private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    /// The time as `2026-07-01T12:00:00Z`; what no calendar of four digits holds as milliseconds.
    package var utc: String {
        guard milliseconds < 253_402_300_800_000 else { return "\(milliseconds) ms" }
        return Date(timeIntervalSince1970: Double(milliseconds / 1_000)).ISO8601Format()
    }

    /// How long ago it was, for people.
    package func relative(to now: Timestamp) -> String {
        if self > now {
            let ahead = milliseconds(since: now)
            return ahead < 1_000 ? "just now" : "in \(Self.length(ahead))"
        }
        let passed = now.milliseconds(since: self)
        return passed < 1_000 ? "just now" : "\(Self.length(passed)) ago"
    }

    /// A number of milliseconds in its largest unit.
    package static func length(_ milliseconds: UInt64) -> String {
        switch milliseconds {
        case ..<1_000: "\(milliseconds) ms"
        case ..<10_000: "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
        case ..<120_000: "\(milliseconds / 1_000) s"
        case ..<7_200_000: "\(milliseconds / 60_000) min"
        case ..<172_800_000: "\(milliseconds / 3_600_000) h"
        default: "\(milliseconds / 86_400_000) d"
        }
    }
}
