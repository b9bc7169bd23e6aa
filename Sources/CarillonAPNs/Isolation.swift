package import CarillonCore

/// Keeps pushes under which connections have ended away from all others.
///
/// A push may be poison: whatever connection carries it is reset, and all that was on its way there with it. Nobody says which
/// one it was. So those under which two connections have ended go on a connection apart, a few together; those under which
/// one more has ended go there alone, one at a time, and harm nobody else. Any answer clears a push. Times are milliseconds
/// of uptime.
package struct Isolation: Sendable {
    /// Bounds of suspicion and of memory.
    package struct Limits: Hashable, Sendable {
        /// Connections that have ended under a push before it travels apart.
        package var apart: UInt8 = 2
        /// Connections that have ended under a push before it travels alone.
        package var alone: UInt8 = 3
        /// Pushes at a time on the connection apart, if none must be alone.
        package var company = 8
        /// Pushes that wait for the connection apart; what is more travels with all others.
        package var waiting = 1_024
        /// How long a push waits while the connection apart takes none, in milliseconds; then it is given back.
        package var patience: UInt64 = 2_000
        /// How long a push may have waited that is sent, in milliseconds. Others are given back and come again: the device may be
        /// unregistered, and the message cancelled or paused, since they were handed out.
        package var freshness: UInt64 = 250
        /// Devices remembered at a time; twice as many for a moment.
        package var devices = 4_096
        /// How long a device is remembered at least, in milliseconds; at most twice as long.
        package var memory: UInt64 = 600_000

        /// Makes the defaults.
        package init() {}
    }

    private struct Device: Hashable {
        var app: AppID
        var number: DeviceID

        init(_ message: OutboundMessage, _ number: DeviceID) {
            app = message.content.app
            self.number = number
        }
    }

    private struct Waiting {
        var delivery: Delivery
        var since: UInt64
    }

    private let limits: Limits
    /// Connections that have ended under each device's pushes, in two generations: the older one is forgotten as a whole.
    private var ends: [Device: UInt8] = [:]
    private var oldEnds: [Device: UInt8] = [:]
    private var generationBegan: UInt64 = 0
    private var inCompany: [Waiting] = []
    private var alone: [Waiting] = []
    /// Pushes on the connection apart.
    private var travelling = 0
    private var isAloneTravelling = false
    private var isOver = false

    /// Makes one that suspects nobody.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether nobody is suspected, so that there is nothing to look after.
    package var isIdle: Bool { ends.isEmpty && oldEnds.isEmpty && !hasWaiting && travelling == 0 }

    /// Whether somebody waits for the connection apart.
    package var hasWaiting: Bool { !inCompany.isEmpty || !alone.isEmpty }

    // MARK: Suspicion

    /// A connection has ended, by no doing of ours, while these had no answer.
    package mutating func connectionEnded(under attempts: [Attempt], at now: UInt64) {
        for attempt in attempts {
            turnGeneration(at: now)
            let device = Device(attempt.message, attempt.device)
            let count = endings(of: device)
            oldEnds[device] = nil
            ends[device] = count < .max ? count + 1 : count
        }
    }

    private mutating func turnGeneration(at now: UInt64) {
        guard ends.count >= limits.devices || now - min(now, generationBegan) >= limits.memory else { return }
        (oldEnds, ends, generationBegan) = (ends, [:], now)
    }

    private func endings(of device: Device) -> UInt8 { ends[device] ?? oldEnds[device] ?? 0 }

    /// Clears those that were answered.
    package mutating func answered(_ results: [DeliveryResult]) {
        for result in results where result.verdict.isAnswer {
            let device = Device(result.attempt.message, result.attempt.device)
            ends[device] = nil
            oldEnds[device] = nil
        }
    }

    // MARK: The way apart

    /// Takes those that must travel apart out of what a common connection was about to send; true if there were any.
    package mutating func divert(_ deliveries: inout [Delivery], at now: UInt64) -> Bool {
        guard !isOver, !ends.isEmpty || !oldEnds.isEmpty else { return false }
        turnGeneration(at: now)
        let count = deliveries.count
        deliveries.removeAll { delivery in
            let endings = endings(of: Device(delivery.message, delivery.device))
            guard endings >= limits.apart, inCompany.count + alone.count < limits.waiting else { return false }
            let waiting = Waiting(delivery: delivery, since: now)
            if endings >= limits.alone { alone.append(waiting) } else { inCompany.append(waiting) }
            return true
        }
        return deliveries.count < count
    }

    /// Appends what the connection apart sends next, at most `limit`: those that may go together first. Returns those whose turn has
    /// come too late: they are to be given back unprocessed.
    package mutating func take(_ limit: Int, at now: UInt64, into deliveries: inout [Delivery]) -> [Delivery] {
        guard limit > 0, !isAloneTravelling, travelling < limits.company else { return [] }
        let late = takeWaiting(longerThan: limits.freshness, at: now)
        takeNext(limit, into: &deliveries)
        return late
    }

    private mutating func takeNext(_ limit: Int, into deliveries: inout [Delivery]) {
        let together = inCompany.prefix(max(0, min(limit, limits.company - travelling))).map(\.delivery)
        inCompany.removeFirst(together.count)
        travelling += together.count
        deliveries += together
        guard travelling == 0, let next = alone.first else { return }
        alone.removeFirst()
        deliveries.append(next.delivery)
        (travelling, isAloneTravelling) = (1, true)
    }

    /// So many have come back from the connection apart, whatever became of them.
    package mutating func returned(_ count: Int) {
        travelling -= min(count, travelling)
        if travelling == 0 { isAloneTravelling = false }
    }

    /// Takes those that have waited too long: they are to be given back unprocessed.
    package mutating func takeOverdue(at now: UInt64) -> [Delivery] {
        takeWaiting(longerThan: limits.patience, at: now)
    }

    private mutating func takeWaiting(longerThan time: UInt64, at now: UInt64) -> [Delivery] {
        let isOverdue = { (waiting: Waiting) in now - min(now, waiting.since) >= time }
        let overdue = inCompany.prefix(while: isOverdue) + alone.prefix(while: isOverdue)
        inCompany.removeFirst(inCompany.prefix(while: isOverdue).count)
        alone.removeFirst(alone.prefix(while: isOverdue).count)
        return overdue.map(\.delivery)
    }

    /// Takes all that wait, and holds nobody any more: the pool ends.
    package mutating func end() -> [Delivery] {
        isOver = true
        defer { (inCompany, alone) = ([], []) }
        return (inCompany + alone).map(\.delivery)
    }
}

extension Verdict {
    /// Whether APNs has said anything of the push.
    fileprivate var isAnswer: Bool {
        switch self {
        case .delivered, .tryLater, .refused: true
        case .notProcessed, .unknown, .credentialRefused: false
        }
    }
}
