import CarillonArguments
import CarillonCore

/// An argument for a duration: `90`, `90s`, `500ms`, `5m`, `2h`, `1d`. Without a unit, the number is in seconds.
package struct TimeSpan: ExplainedArgument, Equatable {
    package var milliseconds: UInt64

    package var duration: Duration { .milliseconds(Int64(clamping: milliseconds)) }

    package init(milliseconds: UInt64) {
        self.milliseconds = milliseconds
    }

    package init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let units: [String: UInt64] = [
            "ms": 1, "": 1_000, "s": 1_000, "m": Milliseconds.perMinute, "h": Milliseconds.perHour,
            "d": Milliseconds.perDay,
        ]
        guard let number = UInt64(digits), let unit = units[String(argument.dropFirst(digits.count))] else {
            return nil
        }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit)
        // At most a century, so that a sum with the current time cannot overflow.
        guard !overflow, milliseconds <= 3_155_760_000_000 else { return nil }
        self.milliseconds = milliseconds
    }

    package static func fault(of argument: String) -> String {
        "a duration is a whole number and ms, s, m, h or d, such as 90s or 5m; at most a century"
    }

    /// The duration as an argument, in seconds if it is whole seconds.
    package var defaultText: String {
        milliseconds.isMultiple(of: 1_000) ? "\(milliseconds / 1_000)s" : "\(milliseconds)ms"
    }

    /// The duration as text in a fitting unit: `3.2 s`, `5 min`.
    package var text: String {
        switch milliseconds {
        case ..<1_000: "\(milliseconds) ms"
        case ..<10_000: "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
        case ..<120_000: "\(milliseconds / 1_000) s"
        case ..<7_200_000: "\(milliseconds / Milliseconds.perMinute) min"
        case ..<172_800_000: "\(milliseconds / Milliseconds.perHour) h"
        default: "\(milliseconds / Milliseconds.perDay) d"
        }
    }
}
