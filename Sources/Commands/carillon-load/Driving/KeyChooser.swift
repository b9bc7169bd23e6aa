import CarillonCore
import Glibc

/// The distribution of the chosen keys.
enum KeyDistribution: Equatable, Sendable {
    /// Every key has the same probability.
    case uniform
    /// The k-th most popular key has a probability proportional to k to the power of minus `exponent`.
    case zipf(exponent: Double)

    /// Parses `uniform`, `zipf` or `zipf:1.2`.
    init(_ text: String) throws(LoadTestError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts.first, parts.count) {
        case ("uniform", 1): self = .uniform
        case ("zipf", 1): self = .zipf(exponent: 0.99)
        case ("zipf", 2):
            guard let exponent = Double(parts[1]), (0.1...5).contains(exponent) else {
                throw LoadTestError("the exponent is a number of 0.1 to 5")
            }
            self = .zipf(exponent: exponent)
        default: throw LoadTestError("there are uniform, zipf and zipf:EXPONENT")
        }
    }
}

extension KeyDistribution: CustomStringConvertible {
    /// The distribution as an argument of the command line.
    var description: String {
        switch self {
        case .uniform: "uniform"
        case .zipf(let exponent): "zipf:\(exponent)"
        }
    }
}

/// A random choice among `count` keys.
struct KeyChooser {
    private let count: UInt64
    private let zipf: Zipf?

    /// Makes a chooser of keys with a distribution.
    ///
    /// - Parameter count: the number of keys, limited to 1 to 2^31.
    init(count: Int, _ distribution: KeyDistribution) {
        self.count = UInt64(max(1, min(count, 1 << 31)))
        zipf =
            switch distribution {
            case .uniform: nil
            case .zipf(let exponent): Zipf(count: self.count, exponent: exponent)
            }
    }

    /// Chooses an index below the count.
    func next(_ generator: inout SeededGenerator) -> Int {
        guard let zipf else { return Int(UInt64.random(in: 0..<count, using: &generator)) }
        // Multiplied by a prime above any count, the popular keys are scattered, and no two ranks have one index.
        return Int((zipf.next(&generator) - 1) * 4_294_967_291 % count)
    }
}

/// A generator of random numbers from 1 to a count by Zipf's law, in constant time and without a table:
/// rejection-inversion (Hörmann and Derflinger, 1996).
private struct Zipf {
    private let count: Double
    private let exponent: Double
    private let integralAtFirst: Double
    private let integralAtLast: Double
    private let shortcut: Double

    init(count: UInt64, exponent: Double) {
        self.count = Double(count)
        self.exponent = exponent
        integralAtFirst = Self.integral(1.5, exponent: exponent) - 1
        integralAtLast = Self.integral(Double(count) + 0.5, exponent: exponent)
        shortcut = 2 - Self.inverse(Self.integral(2.5, exponent: exponent) - pow(2, -exponent), exponent: exponent)
    }

    func next(_ generator: inout SeededGenerator) -> UInt64 {
        while true {
            let area = integralAtLast + generator.unit() * (integralAtFirst - integralAtLast)
            let point = Self.inverse(area, exponent: exponent)
            let rank = min(max(point.rounded(), 1), count)
            if rank - point <= shortcut || area >= Self.integral(rank + 0.5, exponent: exponent) - pow(rank, -exponent)
            {
                return UInt64(rank)
            }
        }
    }

    /// Returns the integral of x to the power of minus `exponent`, from 1.
    private static func integral(_ x: Double, exponent: Double) -> Double {
        let log = Glibc.log(x)
        return ratio((1 - exponent) * log, expm1) * log
    }

    private static func inverse(_ area: Double, exponent: Double) -> Double {
        let scaled = max(area * (1 - exponent), -1)
        return exp(ratio(scaled, log1p) * area)
    }

    /// Returns f(x) / x. For both functions that are used, the limit at 0 is 1.
    private static func ratio(_ x: Double, _ function: (Double) -> Double) -> Double {
        abs(x) > 1e-8 ? function(x) / x : 1
    }
}
