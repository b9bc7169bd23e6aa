import Foundation

/// The scale of an axis with ticks: values become positions from 0 to 1.
struct Scale: Equatable {
    /// A mark on the axis.
    struct Tick: Equatable {
        /// The position, from 0 to 1.
        var position: Double
        var label: String
    }

    private enum Form: Equatable {
        case linear
        case logarithmic
        /// The scale of percentages. Each further nine takes the same width as the one before.
        case nines
    }

    private let form: Form
    private let low: Double
    private let high: Double
    let ticks: [Tick]

    /// Returns the position of a value, limited to 0 to 1.
    func position(_ value: Double) -> Double {
        let position =
            switch form {
            case .linear: (value - low) / (high - low)
            case .logarithmic: (log10(max(value, low)) - low.log) / (high.log - low.log)
            case .nines: -log10(max(1 - value / 100, 1e-12)) / high
            }
        return min(max(position, 0), 1)
    }

    /// Returns a scale from 0 to a round number that is not below `highest`.
    static func linear(to highest: Double, _ label: (Double) -> String) -> Scale {
        let step = roundUp(max(highest, 1e-9) / 4)
        let high = max((highest / step).rounded(.up), 1) * step
        return linear(high: high, step: step, label)
    }

    /// Returns a scale of seconds from 0 to exactly `end`.
    static func seconds(to end: Double) -> Scale {
        let steps = [
            0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400,
        ]
        let end = max(end, 0.1)
        return linear(high: end, step: steps.first { end / $0 <= 6 } ?? end / 6) { seconds in
            seconds >= 600 ? String(format: "%g min", seconds / 60) : String(format: "%g s", seconds)
        }
    }

    private static func linear(high: Double, step: Double, _ label: (Double) -> String) -> Scale {
        let count = Int((high / step + 1e-6).rounded(.down))
        let ticks = (0...count).map { Tick(position: Double($0) * step / high, label: label(Double($0) * step)) }
        return Scale(form: .linear, low: 0, high: high, ticks: ticks)
    }

    /// Returns a scale of nanoseconds from 1, 2 or 5 of some power of ten to another, around all the values.
    static func nanoseconds(from lowest: Double, to highest: Double) -> Scale {
        let low = roundDown(max(lowest, 100))
        let high = max(roundUp(max(highest, 100)), low * 10)
        let isWide = high / low > 1_001
        var ticks: [Tick] = []
        var power = pow(10, floor(low.log))
        while power <= high * 1.001 {
            for value in isWide ? [power] : [power, 2 * power, 5 * power]
            where value > low * 0.999 && value < high * 1.001 {
                let position = (value.log - low.log) / (high.log - low.log)
                ticks.append(Tick(position: position, label: UnitFormat.tick(value)))
            }
            power *= 10
        }
        return Scale(form: .logarithmic, low: low, high: high, ticks: ticks)
    }

    /// Returns a scale of percentages from 0 to as many nines as `count` values can resolve, from 2 to 6 nines.
    static func percentiles(of count: UInt64) -> Scale {
        let nines = min(max(ceil(Double(max(count, 1)).log), 2), 6)
        let inner: [(Double, String)] = [
            (50, "50 %"), (90, "90 %"), (99, "99 %"), (99.9, "99.9 %"), (99.99, "99.99 %"),
        ]
        let ticks = (inner + [(99.999, "99.999 %")]).map { percent, label in
            Tick(position: -log10(1 - percent / 100) / nines, label: label)
        }
        return Scale(form: .nines, low: 0, high: nines, ticks: ticks.filter { $0.position < 0.99 })
    }

    /// The percentages at equal distances on the axis of percentiles.
    var percentages: [Double] { (0...200).map { 100 * (1 - pow(10, -Double($0) / 200 * high)) } }

    private static func roundDown(_ value: Double) -> Double {
        let power = pow(10, floor(value.log))
        return ([5, 2, 1].first { $0 * power <= value * 1.001 } ?? 1) * power
    }

    private static func roundUp(_ value: Double) -> Double {
        let power = pow(10, floor(value.log))
        return ([1, 2, 5, 10].first { $0 * power >= value * 0.999 } ?? 10) * power
    }
}

extension Double {
    fileprivate var log: Double { log10(self) }
}
