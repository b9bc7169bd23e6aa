package import CarillonCore

/// Keeps suspicious pushes apart from all others. A push is suspicious if it was in flight when connections ended.
///
/// A push may end every connection that carries it, and with it all other pushes in flight there. Nothing says which
/// push it was. So a push that was in flight at the end of two connections goes over the isolated connection, a few at
/// a time. If one more connection ends, its pushes go there alone, one at a time, and do no further harm. Any answer
/// clears a push.
package struct Isolation: Sendable {
    /// Limits of suspicion and of memory.
    package struct Limits: Hashable, Sendable {
        /// The number of connections that have ended under a push before it is isolated.
        package var endsBeforeIsolated: UInt8 = 2
        /// The number of connections that have ended under a push before it is sent alone.
        package var endsBeforeAlone: UInt8 = 3
        /// The most pushes in flight on the isolated connection, if none must be alone.
        package var concurrentPushes = 8
        /// The most pushes that wait for the isolated connection; further ones use the main group.
        package var waitingPushes = 1_024
        /// The time for which a push waits while the isolated connection takes none, in milliseconds; then it is given
        /// back.
        package var waitMilliseconds: UInt64 = 2_000
        /// The time for which a push may have waited and still be sent, in milliseconds. Older ones are given back and
        /// come again: the device may be unregistered, or the message cancelled or paused, since they were handed out.
        package var freshMilliseconds: UInt64 = 250
        /// The most devices of a generation. The generation before is remembered too, so up to twice as many devices
        /// are remembered.
        package var rememberedDevices = 4_096
        /// The longest time of a generation, in milliseconds: a device is remembered for up to twice as long.
        package var rememberedMilliseconds: UInt64 = 600_000

        package init() {}
    }

    /// A device of an app, whose pushes are counted together.
    private struct AppDevice: Hashable {
        var app: AppID
        var device: DeviceID

        init(_ message: OutboundMessage.Shared, device: DeviceID) {
            app = message.content.app
            self.device = device
        }
    }

    private struct Waiting {
        var delivery: Delivery
        var since: Uptime
    }

    private let limits: Limits
    /// The number of connections that have ended under each device's pushes, in two generations: the older one is
    /// dropped as a whole.
    private var ends: [AppDevice: UInt8] = [:]
    private var oldEnds: [AppDevice: UInt8] = [:]
    private var generationBegan: Uptime = 0
    private var waitingTogether: [Waiting] = []
    private var waitingAlone: [Waiting] = []
    /// The number of pushes on the isolated connection.
    private var inFlight = 0
    private var isAloneInFlight = false
    private var isClosed = false

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// True if no push is suspected, so that nothing needs to be checked.
    package var isIdle: Bool { ends.isEmpty && oldEnds.isEmpty && !hasWaiting && inFlight == 0 }

    /// True if a push waits for the isolated connection.
    package var hasWaiting: Bool { !waitingTogether.isEmpty || !waitingAlone.isEmpty }

    // MARK: Suspicion

    /// Counts the end of a connection, not by Carillon's decision, against the attempts that had no answer.
    package mutating func connectionEnded(unanswered attempts: [Attempt], at now: Uptime) {
        for attempt in attempts {
            renewGeneration(at: now)
            let device = AppDevice(attempt.message, device: attempt.device)
            let count = ends(of: device)
            oldEnds[device] = nil
            ends[device] = count < .max ? count + 1 : count
        }
    }

    private mutating func renewGeneration(at now: Uptime) {
        guard
            ends.count >= limits.rememberedDevices
                || now.milliseconds(since: generationBegan) >= limits.rememberedMilliseconds
        else { return }
        oldEnds = ends
        ends = [:]
        generationBegan = now
    }

    private func ends(of device: AppDevice) -> UInt8 { ends[device] ?? oldEnds[device] ?? 0 }

    /// Clears the pushes that were answered.
    package mutating func pushesAnswered(_ results: [AttemptResult]) {
        for result in results where result.verdict.isAnswered {
            let device = AppDevice(result.attempt.message, device: result.attempt.device)
            ends[device] = nil
            oldEnds[device] = nil
        }
    }

    // MARK: The isolated connection

    /// Removes the pushes that must be isolated from the batch that a connection of the main group is about to send.
    /// Returns true if there were any.
    package mutating func divert(_ deliveries: inout [Delivery], at now: Uptime) -> Bool {
        guard !isClosed, !ends.isEmpty || !oldEnds.isEmpty else { return false }
        renewGeneration(at: now)
        let count = deliveries.count
        deliveries.removeAll { delivery in
            let ends = ends(of: AppDevice(delivery.message, device: delivery.device))
            guard ends >= limits.endsBeforeIsolated,
                waitingTogether.count + waitingAlone.count < limits.waitingPushes
            else { return false }
            let waiting = Waiting(delivery: delivery, since: now)
            if ends >= limits.endsBeforeAlone { waitingAlone.append(waiting) } else { waitingTogether.append(waiting) }
            return true
        }
        return deliveries.count < count
    }

    /// Removes and returns the pushes that the isolated connection sends next, at most `limit`, and the pushes that
    /// have waited too long to be sent, which the caller gives back unprocessed. Pushes that may be sent together come
    /// first.
    package mutating func dequeue(_ limit: Int, at now: Uptime) -> (next: [Delivery], overdue: [Delivery]) {
        guard limit > 0, !isAloneInFlight, inFlight < limits.concurrentPushes else { return ([], []) }
        let overdue = removeWaiting(longerThanMilliseconds: limits.freshMilliseconds, at: now)
        return (dequeueNext(limit), overdue)
    }

    private mutating func dequeueNext(_ limit: Int) -> [Delivery] {
        let next = waitingTogether.prefix(max(0, min(limit, limits.concurrentPushes - inFlight))).map(\.delivery)
        waitingTogether.removeFirst(next.count)
        inFlight += next.count
        guard inFlight == 0, let single = waitingAlone.first else { return next }
        waitingAlone.removeFirst()
        inFlight = 1
        isAloneInFlight = true
        return [single.delivery]
    }

    /// Called when the isolated connection has given back `count` pushes, with any verdict.
    package mutating func isolatedPushesReturned(_ count: Int) {
        inFlight -= min(count, inFlight)
        if inFlight == 0 { isAloneInFlight = false }
    }

    /// Removes and returns the pushes that have waited longer than `limits.waitMilliseconds`: the caller gives them
    /// back unprocessed.
    package mutating func removeOverdue(at now: Uptime) -> [Delivery] {
        removeWaiting(longerThanMilliseconds: limits.waitMilliseconds, at: now)
    }

    private mutating func removeWaiting(longerThanMilliseconds milliseconds: UInt64, at now: Uptime) -> [Delivery] {
        let isOverdue = { (waiting: Waiting) in now.milliseconds(since: waiting.since) >= milliseconds }
        let overdue = waitingTogether.prefix(while: isOverdue) + waitingAlone.prefix(while: isOverdue)
        waitingTogether.removeFirst(waitingTogether.prefix(while: isOverdue).count)
        waitingAlone.removeFirst(waitingAlone.prefix(while: isOverdue).count)
        return overdue.map(\.delivery)
    }

    /// Removes and returns all waiting pushes, and diverts no more: the pool is closing.
    package mutating func close() -> [Delivery] {
        isClosed = true
        defer {
            waitingTogether = []
            waitingAlone = []
        }
        return (waitingTogether + waitingAlone).map(\.delivery)
    }
}
