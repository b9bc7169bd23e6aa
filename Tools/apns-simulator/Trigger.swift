import Foundation

/// Which of the requests, or connections, that come by a line of the rules is about.
///
/// All that is said must hold: first time and prefix, then the count of those that are left, then chance.
struct Trigger {
    /// The keys of a line that say when.
    struct Line: Decodable {
        var prefix: String?
        var nth: Int?
        var every: Int?
        var probability: Double?
        var times: Int?
        var after: Int64?
        var `for`: Int64?

        static let names: Set<String> = ["prefix", "nth", "every", "probability", "times", "after", "for"]
    }

    /// Hexadecimal digits that a token begins with.
    private let prefix: [UInt8]
    private let nth: Int?
    private let every: Int?
    private let probability: Double?
    /// How often it fires yet; nil for ever.
    private var times: Int?
    /// Milliseconds since 1970.
    private let period: Range<Int64>
    private var seen = 0
    private var dice: Dice

    /// - Parameters:
    ///   - now: milliseconds since 1970, from which `after` and `for` count.
    ///   - seed: of chance: the same seed and the same requests give the same faults.
    init(_ line: Line, now: Int64, seed: UInt64) throws {
        guard line.nth ?? 1 > 0, line.every ?? 1 > 0, line.times ?? 0 >= 0, (0...1).contains(line.probability ?? 0)
        else {
            throw Problem(text: "nth and every are from 1, times from 0, a probability is 0 to 1")
        }
        guard (0...Trigger.day).contains(line.after ?? 0), (0...Trigger.day).contains(line.for ?? 0) else {
            throw Problem(text: "after and for are milliseconds, at most a day")
        }
        prefix = Array((line.prefix ?? "").lowercased().utf8)
        (nth, every, probability, times) = (line.nth, line.every, line.probability, line.times)
        let start = now + (line.after ?? 0)
        period = (line.after == nil ? .min : start)..<(line.for.map { start + $0 } ?? .max)
        dice = Dice(seed: seed)
    }

    private static let day: Int64 = 86_400_000

    /// Whether it is about the one that comes now, to the device `hex` (nothing for a connection).
    mutating func fires(on hex: UnsafeRawBufferPointer?, at now: Int64) -> Bool {
        guard times != 0, period.contains(now), matches(hex) else { return false }
        seen += 1
        if let nth, seen != nth { return false }
        if let every, !seen.isMultiple(of: every) { return false }
        if let probability, dice.unit() >= probability { return false }
        if let times { self.times = times - 1 }
        return true
    }

    private func matches(_ hex: UnsafeRawBufferPointer?) -> Bool {
        if prefix.isEmpty { return true }
        guard let hex, hex.count >= prefix.count else { return false }
        for index in prefix.indices where hex[index] | 0x20 != prefix[index] | 0x20 { return false }
        return true
    }
}

/// Chance that is the same each time.
struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = mix(seed ^ 0xa409_3822_299f_31d0, 0xe703_7ed1_a0b4_28db) }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return mix(state, 0xe703_7ed1_a0b4_28db)
    }

    /// From 0 up to 1.
    mutating func unit() -> Double { Double(next() >> 11) / Double(UInt64(1) << 53) }
}
