import Glibc

/// Chance that is the same at every run with the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        // Wrapping is the point of the mixing.
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    /// At least 0, less than 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// How often each of many keys is chosen.
enum KeyDistribution: Equatable, Sendable {
    /// All alike.
    case uniform
    /// The k-th most wanted is chosen in proportion to k to the power of minus `exponent`.
    case zipf(exponent: Double)

    /// What people write: `uniform`, `zipf` or `zipf:1.2`.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts.first, parts.count) {
        case ("uniform", 1): self = .uniform
        case ("zipf", 1): self = .zipf(exponent: 0.99)
        case ("zipf", 2):
            guard let exponent = Double(parts[1]), (0.1...5).contains(exponent) else { return nil }
            self = .zipf(exponent: exponent)
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .uniform: "uniform"
        case .zipf(let exponent): "zipf:\(exponent)"
        }
    }
}

/// Chooses among `count` keys.
struct KeyChooser {
    private let count: UInt64
    private let zipf: Zipf?

    /// At most 2^31 keys, at least one.
    init(count: Int, _ distribution: KeyDistribution) {
        self.count = UInt64(max(1, min(count, 1 << 31)))
        zipf =
            switch distribution {
            case .uniform: nil
            case .zipf(let exponent): Zipf(count: self.count, exponent: exponent)
            }
    }

    /// An index below the count.
    func next(_ generator: inout SeededGenerator) -> Int {
        guard let zipf else { return Int(UInt64.random(in: 0..<count, using: &generator)) }
        // A prime above any count scatters the most wanted among the others, and meets each index once.
        return Int((zipf.next(&generator) - 1) * 4_294_967_291 % count)
    }
}

/// Numbers from 1 to a count by Zipf's law, each in constant time and without a table: rejection-inversion (Hörmann and
/// Derflinger, 1996).
private struct Zipf {
    private let count: Double
    private let exponent: Double
    private let integralAtFirst: Double
    private let integralAtLast: Double
    private let shortcut: Double

    init(count: UInt64, exponent: Double) {
        self.count = Double(count)
        self.exponent = exponent
        integralAtFirst = Self.integral(1.5, exponent) - 1
        integralAtLast = Self.integral(Double(count) + 0.5, exponent)
        shortcut = 2 - Self.inverse(Self.integral(2.5, exponent) - pow(2, -exponent), exponent)
    }

    func next(_ generator: inout SeededGenerator) -> UInt64 {
        while true {
            let area = integralAtLast + generator.unit() * (integralAtFirst - integralAtLast)
            let place = Self.inverse(area, exponent)
            let rank = min(max(place.rounded(), 1), count)
            if rank - place <= shortcut || area >= Self.integral(rank + 0.5, exponent) - pow(rank, -exponent) {
                return UInt64(rank)
            }
        }
    }

    /// The integral of x to the power of minus `exponent`, from 1.
    private static func integral(_ x: Double, _ exponent: Double) -> Double {
        let log = Glibc.log(x)
        return ratio((1 - exponent) * log, expm1) * log
    }

    private static func inverse(_ area: Double, _ exponent: Double) -> Double {
        let scaled = max(area * (1 - exponent), -1)
        return exp(ratio(scaled, log1p) * area)
    }

    /// f(x) / x, which both functions bring to 1 at 0.
    private static func ratio(_ x: Double, _ function: (Double) -> Double) -> Double {
        abs(x) > 1e-8 ? function(x) / x : 1
    }
}
