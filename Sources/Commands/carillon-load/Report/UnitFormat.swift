import CarillonCommandLine
import Foundation

/// The numbers as the report shows them.
extension Double {
    /// The rate or count with three significant digits or, above 1,000, as a whole number with commas.
    var short: String {
        guard isFinite else { return "–" }
        return abs(self) >= 999.5 ? Int64(Swift.max(-9e18, Swift.min(9e18, rounded()))).grouped : digits
    }

    /// The number with three significant digits; below 1 with three decimals.
    private var digits: String {
        let places = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : magnitude >= 0.9995 || self == 0 ? 2 : 3
        return String(format: "%.\(places)f", self)
    }
}

/// The text of durations and sizes in a fitting unit.
enum UnitFormat {
    /// Returns nanoseconds with three significant digits: `843 µs`, `1.27 ms`, `2.00 s`.
    static func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<999.5: "\(Int(Swift.max(0, nanoseconds))) ns"
        case ..<999_500: "\((nanoseconds / 1e3).short) µs"
        case ..<999_500_000: "\((nanoseconds / 1e6).short) ms"
        default: "\((nanoseconds / 1e9).short) s"
        }
    }

    /// Returns a round number of nanoseconds: `1 ms`, `200 µs`.
    static func tick(_ nanoseconds: Double) -> String {
        let (value, unit) =
            nanoseconds < 1e3
            ? (nanoseconds, "ns")
            : nanoseconds < 1e6
                ? (nanoseconds / 1e3, "µs") : nanoseconds < 1e9 ? (nanoseconds / 1e6, "ms") : (nanoseconds / 1e9, "s")
        return String(format: "%g \(unit)", value)
    }

    static func time(_ nanoseconds: UInt64) -> String { time(Double(nanoseconds)) }

    /// Returns bytes in powers of 1024.
    static func bytes(_ count: UInt64) -> String {
        switch count {
        case ..<1_024: "\(count) B"
        case ..<1_048_576: "\((Double(count) / 1_024).short) KiB"
        case ..<1_073_741_824: "\((Double(count) / 1_048_576).short) MiB"
        default: "\((Double(count) / 1_073_741_824).short) GiB"
        }
    }

    /// Returns seconds with four significant digits.
    static func seconds(_ seconds: Double) -> String {
        String(format: "%.4g s", seconds)
    }

    static func percent(_ share: Double) -> String {
        share == 0 ? "0 %" : share < 0.000_1 ? "below 0.01 %" : "\((share * 100).short) %"
    }
}
