package import Foundation

import struct CarillonCore.SeededGenerator

/// All faults in the rules.
package struct Faults {
    private var byStage: [Fault.Stage: [Fault]] = [:]
    /// The faults for all open connections that were not started yet.
    private var pending: [Fault] = []
    private var count = 0
    private var random: SeededGenerator
    /// The number of times that each fault has happened, by name.
    package private(set) var happened: [String: Int] = [:]
    /// True if any fault is about requests. It is read for each request.
    package private(set) var watchesRequests = false

    /// The files of the server's own certificate, for faults that need them.
    private let certificates: (chain: String, key: String)

    private static let limit = 1000

    package init(certificates: (chain: String, key: String), seed: UInt64) {
        self.certificates = certificates
        random = SeededGenerator(seed: seed)
    }

    /// Adds the fault that a rule describes.
    package mutating func add(rule json: Data) throws {
        try add(FaultLine.fault(json, certificates: certificates, now: millisecondsSince1970(), seed: random.next()))
    }

    package mutating func trigger(ofRule json: Data) throws -> Trigger {
        let line = try JSONDecoder().decode(Trigger.Line.self, from: json)
        return try Trigger(line, now: millisecondsSince1970(), seed: random.next())
    }

    private mutating func add(_ fault: Fault) throws(SimulatorError) {
        guard count < Faults.limit else { throw SimulatorError(text: "more than \(Faults.limit) faults") }
        count += 1
        if fault.stage == .now { return pending.append(fault) }
        byStage[fault.stage, default: []].append(fault)
        if fault.stage == .request { watchesRequests = true }
    }

    /// Removes all faults and keeps the counts.
    package mutating func removeAll() {
        byStage = [:]
        pending = []
        count = 0
        watchesRequests = false
    }

    func mayHappen(_ stage: Fault.Stage) -> Bool { byStage[stage] != nil }

    mutating func forgetCounts() { happened = [:] }

    /// Returns the faults that happen at a stage, in the order of their rules, and counts them.
    ///
    /// - Parameter key: the text with which the prefixes of rules are compared; nil for a connection.
    mutating func happening(
        _ stage: Fault.Stage,
        on key: UnsafeRawBufferPointer? = nil,
        at now: Int64
    ) -> [Fault] {
        guard var faults = byStage[stage] else { return [] }
        byStage[stage] = nil
        var result: [Fault] = []
        for index in faults.indices where faults[index].trigger.fires(on: key, at: now) {
            happened[faults[index].name, default: 0] += 1
            result.append(faults[index])
        }
        byStage[stage] = faults
        return result
    }

    /// Removes and returns the faults for all open connections.
    mutating func removePending() -> [Fault] {
        defer { pending = [] }
        for fault in pending { happened[fault.name, default: 0] += 1 }
        count -= pending.count
        return pending
    }

    mutating func sampleMilliseconds(of delay: Fault.Delay) -> Int64 { delay.sampleMilliseconds(&random) }
}
