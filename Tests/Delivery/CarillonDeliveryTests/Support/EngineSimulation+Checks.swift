import CarillonCore

@testable import CarillonDelivery

/// The conditions that must hold at any time, and at the end.
extension EngineSimulation {
    /// Throws if the pages in memory exceed the limits and the share of each queue.
    func checkBounds() throws {
        let load = engine.load
        let recipients = limits.recipients + Self.queueCount * limits.reservedPagesPerQueue * limits.recipientsPerPage
        try require(
            load.messages <= limits.messages + Self.queueCount * limits.reservedMessagesPerQueue,
            "too many messages: \(load)")
        try require(load.recipients <= recipients, "too many recipients: \(load)")
        // Each page in memory may be suspended after the bound is reached.
        try require(load.suspended <= limits.suspendedPages + recipients, "too many suspended: \(load)")
        try require(load.changes <= limits.changedDevices, "too many changes: \(load)")
        try require(
            load.inFlight == deliveriesInFlight.count,
            "\(load.inFlight) counted in flight, \(deliveriesInFlight.count) are")
        try require(load.inFlight + load.unrecorded <= limits.unrecordedDeliveries, "too many unrecorded: \(load)")
        try require(load.queuedPages <= Self.pools.count * 2 * (65 + 2 * recipients), "too many queued: \(load)")
        let silent = engine.silentPushes.count
        try require(silent <= limits.unrecordedDeliveries, "\(silent) devices have silent pushes")
    }

    mutating func checkPace(_ id: MessageID) throws {
        guard let stored = registry.messages[id], let pace = stored.known.pace, stored.outbound.pace == pace else {
            return
        }
        var times = paced[id] ?? []
        times.append(now.uptime)
        paced[id] = times
        let burst = Double(max(1, pace / 10))
        for (index, first) in times.enumerated() {
            let allowed = burst + Double(pace) * Double(now.uptime - first) / 1_000
            try require(Double(times.count - index) <= allowed, "\(id) is sent faster than \(pace) a second")
        }
    }

    func checkEnd() throws {
        for (id, message) in registry.messages.sorted(by: { $0.key < $1.key }) {
            let pending = message.pages.flatMap { page, recipients in
                recipients.filter { $0.value.outcome == .pending }.keys.map { "\(page).\($0)" }
            }
            try require(pending.isEmpty, "nothing moves, and of \(id) these have not ended: \(pending.sorted())")
            try require(message.isFinished, "nothing moves, and \(id) is not finished")
        }
        let load = engine.load
        let expected = DeliveryEngine.Load(
            messages: 0, recipients: 0, queuedPages: load.queuedPages, suspended: 0, timers: load.timers, inFlight: 0,
            unrecorded: 0, changes: load.changes)
        try require(load == expected, "at the end with \(load)")
        try require(engine.messages.isIdle, "at the end with \(engine.messages)")
        try require(
            engine.pages.isEmpty && engine.silentPushes.count == 0, "at the end with pages in memory or being read")
    }

    func require(_ isTrue: Bool, _ fault: @autoclosure () -> String) throws {
        if !isTrue { throw Violation(seed: seed, step: step, fault: fault()) }
    }
}
