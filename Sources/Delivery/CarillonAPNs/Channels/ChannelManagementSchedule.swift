package import CarillonCore

/// Keeps the requests of channel management that wait for a connection or are on their way, and says when they are
/// given up. One schedule belongs to one host, so that requests to a slow host hold up no others.
package struct ChannelManagementSchedule: Sendable {
    /// The number of a request, unique in its schedule.
    package typealias Number = UInt64

    package struct Limits: Sendable {
        /// The most requests that wait or are on their way; more are refused.
        package var requests = 64
        /// The time from the request to its answer, in milliseconds.
        package var requestTimeoutMilliseconds: UInt64 = 20_000
        /// The number of times that a request is sent that APNs has not processed.
        package var attempts = 3
        /// The shortest time from one attempt to connect to the next, in milliseconds. APNs takes rapid connecting for
        /// an attack (Apple, "Local and Remote Notification Programming Guide", Best Practices for Managing
        /// Connections).
        package var minimumConnectIntervalMilliseconds: UInt64 = 1_000
        /// The time from the attempt to connect until requests can be sent, in milliseconds.
        package var settingsTimeoutMilliseconds: UInt64 = 15_000
        /// The time without a request after which a connection is closed, in milliseconds.
        package var idleTimeoutMilliseconds: UInt64 = 600_000

        package init() {}
    }

    private struct Request {
        /// The time at which the request is given up.
        var end: Uptime
        /// The time at which the request is given up if it still waits, because its client would have no use for it;
        /// nil if the client named none.
        var deadline: Uptime?
        var attempts = 0
        var isSent = false
    }

    /// A request that is given up.
    package struct Overdue: Hashable, Sendable {
        package var number: Number
        /// True if the request was sent: whether it took effect is not known.
        package var wasSent: Bool
        /// True if the deadline of the client passed before the request was sent; false if the time that every request
        /// has is over.
        package var isLate: Bool
    }

    private let limits: Limits
    private var requests: [Number: Request] = [:]
    /// The requests that wait, the next one first.
    private var waiting: [Number] = []
    private var lastNumber: Number = 0
    /// The time at which the latest connection was begun.
    private var connectedAt: Uptime = 0
    /// The time before which no connection is begun.
    private var connectAfter: Uptime = 0
    private var idleSince: Uptime = 0

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// True if no request waits or is on its way.
    package var isEmpty: Bool { requests.isEmpty }

    /// Adds a request, which waits; returns nil if there are as many as are allowed.
    ///
    /// - Parameter deadline: when the request is given up if it has not been sent; nil if it has no deadline.
    package mutating func add(deadline: Uptime?, at now: Uptime) -> Number? {
        guard requests.count < limits.requests else { return nil }
        lastNumber += 1
        let end = now.later(byMilliseconds: limits.requestTimeoutMilliseconds)
        requests[lastNumber] = Request(end: end, deadline: deadline)
        waiting.append(lastNumber)
        return lastNumber
    }

    /// Returns true if a connection must be made, when there is none.
    package func needsConnection(at now: Uptime) -> Bool { !waiting.isEmpty && now >= connectAfter }

    /// Returns the requests to send now. They count as sent from then on.
    ///
    /// - Parameter streams: the number of streams that the connection takes.
    package mutating func takeWaiting(streams: Int) -> [Number] {
        let sent = Array(waiting.prefix(max(0, streams)))
        waiting.removeFirst(sent.count)
        for number in sent {
            requests[number]?.isSent = true
            requests[number]?.attempts += 1
        }
        return sent
    }

    /// Puts a request back that APNs has not processed. Returns true if it waits for another attempt; else it must be
    /// ended.
    package mutating func requestNotProcessed(_ number: Number) -> Bool {
        guard let request = requests[number], request.isSent, request.attempts < limits.attempts else { return false }
        requests[number]?.isSent = false
        waiting.insert(number, at: 0)
        return true
    }

    /// Removes a request that has its answer, or is given up. Returns false if it had ended before.
    package mutating func requestEnded(_ number: Number, at now: Uptime) -> Bool {
        guard let request = requests.removeValue(forKey: number) else { return false }
        if !request.isSent { waiting.removeAll { $0 == number } }
        idleSince = now
        return true
    }

    package mutating func connectionBegan(at now: Uptime) {
        connectedAt = now
        connectAfter = now.later(byMilliseconds: limits.minimumConnectIntervalMilliseconds)
    }

    /// Returns true if the connection that is being made has taken too long.
    package func isSettingsOverdue(at now: Uptime) -> Bool {
        now.milliseconds(since: connectedAt) >= limits.settingsTimeoutMilliseconds
    }

    /// The requests that have not been sent; if no connection can be made, they must be ended.
    package var unsent: [Number] { waiting }

    /// Returns the requests whose time is over: they must be ended.
    package func overdue(at now: Uptime) -> [Overdue] {
        requests.compactMap { number, request in
            let isLate = !request.isSent && request.deadline.map { now > $0 } ?? false
            guard isLate || now >= request.end else { return nil }
            return Overdue(number: number, wasSent: request.isSent, isLate: isLate)
        }
    }

    /// Returns true if a connection must be closed because it had no request for a long time.
    package func isIdle(at now: Uptime) -> Bool {
        requests.isEmpty && now.milliseconds(since: idleSince) >= limits.idleTimeoutMilliseconds
    }
}
