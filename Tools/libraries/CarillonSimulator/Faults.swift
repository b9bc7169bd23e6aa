/// All faults in the rules.
package struct Faults {
    private var byMoment: [Fault.Moment: [Fault]] = [:]
    /// Faults for all open connections that were not started yet.
    private var pending: [Fault] = []
    private var count = 0
    package private(set) var random: SeededGenerator
    /// The number of times that each fault has happened, by name.
    package private(set) var happened: [String: Int] = [:]
    /// True if any fault is about requests: checked for each request.
    package private(set) var watchesRequests = false

    private static let limit = 1000

    package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    package mutating func add(_ fault: Fault) throws {
        guard count < Faults.limit else { throw Problem(text: "more than \(Faults.limit) faults") }
        count += 1
        if fault.moment == .now { return pending.append(fault) }
        byMoment[fault.moment, default: []].append(fault)
        if fault.moment == .request { watchesRequests = true }
    }

    /// Removes all faults and keeps the counts.
    package mutating func removeAll() {
        (byMoment, pending, count, watchesRequests) = ([:], [], 0, false)
    }

    /// Returns true if any may happen at a moment.
    package func mayHappen(_ moment: Fault.Moment) -> Bool { byMoment[moment] != nil }

    package mutating func forgetCounts() { happened = [:] }

    /// Returns the faults that happen at a moment, in the order of their rules.
    package mutating func happening(
        _ moment: Fault.Moment,
        on hex: UnsafeRawBufferPointer? = nil,
        at now: Int64
    ) -> [Fault] {
        guard var faults = byMoment[moment] else { return [] }
        byMoment[moment] = nil
        var result: [Fault] = []
        for index in faults.indices where faults[index].trigger.fires(on: hex, at: now) {
            happened[faults[index].name, default: 0] += 1
            result.append(faults[index])
        }
        byMoment[moment] = faults
        return result
    }

    /// Removes and returns the faults for all open connections.
    package mutating func removePending() -> [Fault] {
        defer { pending = [] }
        for fault in pending { happened[fault.name, default: 0] += 1 }
        count -= pending.count
        return pending
    }

    package mutating func sample(_ delay: Fault.Delay) -> Int64 { delay.sample(&random) }

    /// Returns a seed for the next trigger.
    package mutating func nextSeed() -> UInt64 { random.next() }
}
