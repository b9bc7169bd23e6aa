import CarillonCommandLine
import Foundation

/// Formats numbers as the report shows them.
extension Double {
    /// The rate or count with three significant digits or, above 1,000, as a whole number with commas.
    var short: String {
        guard isFinite else { return "–" }
        return abs(self) >= 999.5 ? Int64(Swift.max(-9e18, Swift.min(9e18, rounded()))).grouped : digits
    }

    /// The number with three significant digits; below 1 with three decimals.
    private var digits: String {
        let places =
            switch magnitude {
            case 99.95...: 0
            case 9.995...: 1
            case 0.9995..., 0: 2
            default: 3
            }
        return String(format: "%.\(places)f", self)
    }
}

/// Formats durations and sizes in a fitting unit.
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
        switch nanoseconds {
        case ..<1e3: String(format: "%g ns", nanoseconds)
        case ..<1e6: String(format: "%g µs", nanoseconds / 1e3)
        case ..<1e9: String(format: "%g ms", nanoseconds / 1e6)
        default: String(format: "%g s", nanoseconds / 1e9)
        }
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
        switch share {
        case 0: "0 %"
        case ..<0.000_1: "below 0.01 %"
        default: "\((share * 100).short) %"
        }
    }
}
