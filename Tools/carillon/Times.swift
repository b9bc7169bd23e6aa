import ArgumentParser
import CarillonCore
import Foundation

/// A length of time as people write it: `90`, `90s`, `500ms`, `5m`, `2h`, `1d`. Without a unit it is seconds.
struct TimeSpan: ExpressibleByArgument, Equatable {
    var milliseconds: UInt64

    var duration: Duration { .milliseconds(Int64(clamping: milliseconds)) }

    init(milliseconds: UInt64) {
        self.milliseconds = milliseconds
    }

    init?(argument: String) {
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
    var defaultValueDescription: String {
        milliseconds.isMultiple(of: 1_000) ? "\(milliseconds / 1_000)s" : "\(milliseconds)ms"
    }
}

extension Timestamp {
    /// The wall clock's time.
    static var now: Timestamp {
        Timestamp(milliseconds: UInt64(max(Date().timeIntervalSince1970, 0) * 1_000))
    }

    /// Reads `2026-07-01T12:00:00Z` or milliseconds since 1970.
    init?(text: String) {
        if let milliseconds = UInt64(text) {
            self.init(milliseconds: milliseconds)
        } else if let date = try? Date(text, strategy: .iso8601), date.timeIntervalSince1970 >= 0 {
            // Why: a text that is no date is what `nil` says.
            self.init(milliseconds: UInt64(date.timeIntervalSince1970 * 1_000))
        } else {
            return nil
        }
    }

    /// How long ago it was, for people.
    func relative(to now: Timestamp) -> String {
        if self > now {
            let ahead = milliseconds(since: now)
            return ahead < 1_000 ? "just now" : "in \(Self.length(ahead))"
        }
        let passed = now.milliseconds(since: self)
        return passed < 1_000 ? "just now" : "\(Self.length(passed)) ago"
    }

    /// A number of milliseconds in its largest unit.
    static func length(_ milliseconds: UInt64) -> String {
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
