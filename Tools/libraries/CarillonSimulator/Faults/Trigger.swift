import Foundation

import struct CarillonCore.SeededGenerator

/// Selects the requests, or connections, that a rule is about.
///
/// All conditions must hold. `nth` and `every` count only what is within the time of the rule and has its prefix;
/// `probability` applies to what they select.
package struct Trigger {
    /// The keys of a rule that select.
    package struct Line: Decodable {
        package var prefix: String?
        package var nth: Int?
        package var every: Int?
        package var probability: Double?
        package var times: Int?
        package var after: Int64?
        package var `for`: Int64?

        package static let names: Set<String> = ["prefix", "nth", "every", "probability", "times", "after", "for"]
    }

    /// The beginning of the text that names a device.
    private let prefix: [UInt8]
    private let nth: Int?
    private let every: Int?
    private let probability: Double?
    /// The number of times that the trigger still fires; nil without limit.
    private var times: Int?
    /// The time in which the trigger fires, in milliseconds since 1970.
    private let period: Range<Int64>
    private var seen = 0
    private var random: SeededGenerator

    /// Makes the trigger of a fault.
    ///
    /// - Parameters:
    ///   - now: the milliseconds since 1970, from which `after` and `for` count.
    ///   - seed: the seed of the probability. The same seed and the same requests give the same faults.
    package init(_ line: Line, now: Int64, seed: UInt64) throws(SimulatorError) {
        guard line.nth ?? 1 > 0, line.every ?? 1 > 0, line.times ?? 0 >= 0, (0...1).contains(line.probability ?? 0)
        else {
            throw SimulatorError(text: "nth and every are from 1, times from 0, a probability is 0 to 1")
        }
        guard (0...Trigger.day).contains(line.after ?? 0), (0...Trigger.day).contains(line.for ?? 0) else {
            throw SimulatorError(text: "after and for are milliseconds, at most a day")
        }
        prefix = Array((line.prefix ?? "").lowercased().utf8)
        nth = line.nth
        every = line.every
        probability = line.probability
        times = line.times
        let start = now + (line.after ?? 0)
        period = (line.after == nil ? .min : start)..<(line.for.map { start + $0 } ?? .max)
        random = SeededGenerator(seed: seed)
    }

    private static let day: Int64 = 86_400_000

    /// Returns true if the rule is about the current request or connection, and counts it.
    ///
    /// - Parameter key: the text that names the device; nil for a connection.
    package mutating func fires(on key: UnsafeRawBufferPointer?, at now: Int64) -> Bool {
        guard times != 0, period.contains(now), matches(key) else { return false }
        seen += 1
        if let nth, seen != nth { return false }
        if let every, !seen.isMultiple(of: every) { return false }
        if let probability, random.unit() >= probability { return false }
        if let times { self.times = times - 1 }
        return true
    }

    private func matches(_ key: UnsafeRawBufferPointer?) -> Bool {
        if prefix.isEmpty { return true }
        guard let key, key.count >= prefix.count else { return false }
        for index in prefix.indices where key[index] | 0x20 != prefix[index] | 0x20 { return false }
        return true
    }
}
