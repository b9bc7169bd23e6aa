import CarillonCore
import CarillonTestKit

/// Work for a pool, and a record of its results.
final class RecordingSource: DeliverySource {
    struct State: Sendable {
        var ready: [Delivery] = []
        /// The delivery that was pulled last for each device.
        var lastPulled: [UInt64: Delivery] = [:]
        /// The number of times that a delivery to each device was pulled.
        var pullCounts: [UInt64: Int] = [:]
        /// The number of times that a delivery to each device was given back.
        var returnCounts: [UInt64: Int] = [:]
        var verdicts: [UInt64: [Verdict]] = [:]
        /// The attempts of each device as TRACE shows them: `status reason`, after `+` if the push was written.
        var traces: [UInt64: [String]] = [:]
        /// The ids that APNs has given the pushes to each device, in order; empty where an answer had none.
        var uniqueIDs: [UInt64: [String]] = [:]
        var largestPull = 0
        /// The reasons for which APNs has ended connections because of the credential.
        var refusals: [String] = []
        /// The reports of the pool that APNs is reachable (true) or unreachable (false), in order.
        var reachabilityReports: [Bool] = []
        /// The number of connections that were opened.
        var openedCount = 0
        /// The number of these connections that were closed.
        var closedCount = 0

        var haveAllReturned: Bool { ready.isEmpty && pullCounts == returnCounts }
        var all: [Verdict] { verdicts.values.flatMap { $0 } }
        func count(_ verdict: Verdict) -> Int { all.count { $0 == verdict } }
    }

    let watched = Watched(State())
    private let retries: @Sendable (Verdict) -> Bool
    private let announcesOnce: Bool
    private let hasWorkCalls = Watched(0)
    private let onWork = Watched<(@Sendable () -> Void)?>(nil)

    /// Makes a source without work.
    ///
    /// - Parameters:
    ///   - retries: returns true for a verdict that puts the delivery back into the queue.
    ///   - announcesOnce: true if only the first call of `hasWork` says that there is work.
    init(retries: @escaping @Sendable (Verdict) -> Bool = { $0 == .notProcessed }, announcesOnce: Bool = false) {
        self.retries = retries
        self.announcesOnce = announcesOnce
    }

    func whenWorkComes(_ call: @escaping @Sendable () -> Void) { onWork.change { $0 = call } }

    /// Adds deliveries to devices of the given numbers and wakes the pool.
    ///
    /// The interactive lane may use all streams.
    func add(
        devices: some Sequence<Int>, payloadBytes: Int = 32, collapseID: String? = nil, lane: Lane = .interactive
    ) {
        let id = MessageID(
            rawValue: UInt64(payloadBytes) << 2 | UInt64(lane.rawValue & 1) << 1 | (collapseID == nil ? 0 : 1))
        let padding = String(repeating: "x", count: payloadBytes - 17)
        let content = MessageContent(
            app: TestApps.game,
            pushType: .alert,
            collapseID: collapseID,
            payload: Array("{\"aps\":{\"alert\":\"\(padding)\"}}".utf8.prefix(payloadBytes))
        )
        let message = OutboundMessage.Shared(
            OutboundMessage(id: id, content: content, sendableSince: .zero, notAfter: nil, lane: lane))
        let deliveries = devices.map { number in
            let device = DeviceID(rawValue: UInt64(number))
            var page = RecipientPage.Builder()
            page.append(
                RecipientPage.Recipient(
                    position: 0,
                    device: device,
                    environment: .production
                ),
                token: Array(repeating: 0xAB, count: 24) + withUnsafeBytes(of: UInt64(number).bigEndian, Array.init)
            )
            return Delivery(message: message, page: page.page(0, of: id), index: 0, device: device, handedOutAt: 0)
        }
        watched.change { $0.ready += deliveries }
        onWork.now?()
    }

    /// Adds a broadcast push and wakes the pool. The number 0 stands for its device.
    func add(broadcastTo channel: ChannelID, payload: String) {
        let content = MessageContent(
            app: TestApps.game, pushType: .liveactivity, expiration: .once, payload: Array(payload.utf8))
        let outbound = OutboundMessage(
            id: MessageID(rawValue: 1 << 40), content: content, sendableSince: .zero, notAfter: nil, lane: .interactive,
            channel: ChannelAddress(environment: .production, id: channel))
        var page = RecipientPage.Builder()
        page.append(RecipientPage.Recipient(position: 0, device: nil, environment: .production), token: [])
        let delivery = Delivery(
            message: OutboundMessage.Shared(outbound), page: page.page(0, of: outbound.id), index: 0, device: .channel,
            handedOutAt: 0)
        watched.change { $0.ready.append(delivery) }
        onWork.now?()
    }

    func pull(for pool: PoolKey, _ limits: PullLimits, into deliveries: inout [Delivery]) {
        deliveries += watched.change { state in
            var found: [Delivery] = []
            var room = limits
            state.ready.removeAll { delivery in
                let lane: WritableKeyPath<PullLimits, Int> =
                    delivery.message.lane == .bulk ? \.bulk : \.interactive
                guard room.all > 0, room[keyPath: lane] > 0 else { return false }
                room.all -= 1
                room[keyPath: lane] -= 1
                found.append(delivery)
                return true
            }
            for delivery in found {
                state.pullCounts[delivery.device.rawValue, default: 0] += 1
                state.lastPulled[delivery.device.rawValue] = delivery
            }
            state.largestPull = max(state.largestPull, found.count)
            return found
        }
    }

    func hasWork(for pool: PoolKey) -> Bool {
        let isFirst = hasWorkCalls.change { number in
            number += 1
            return number == 1
        }
        return (isFirst || !announcesOnce) && !watched.now.ready.isEmpty
    }

    func credentialRefused(of pool: PoolKey, reason: String, reportedBy identity: ObjectIdentifier) {
        watched.change { $0.refusals.append(reason) }
    }

    func reachabilityChanged(of pool: PoolKey, isReachable: Bool, reportedBy identity: ObjectIdentifier) {
        watched.change { $0.reachabilityReports.append(isReachable) }
    }

    func connectionChanged(of pool: PoolKey, isUp: Bool) {
        watched.change { if isUp { $0.openedCount += 1 } else { $0.closedCount += 1 } }
    }

    func attemptsEnded(_ results: [AttemptResult], for pool: PoolKey) {
        let hasMore = watched.change { state in
            for result in results {
                let device = result.attempt.device.rawValue
                state.returnCounts[device, default: 0] += 1
                state.verdicts[device, default: []].append(result.verdict)
                state.uniqueIDs[device, default: []].append(result.uniqueID ?? "")
                state.traces[device, default: []].append(
                    "\(result.connection > 0 ? "+" : "")\(result.status) \(result.reason ?? "")")
            }
            let retried = results.filter { retries($0.verdict) }.map(\.attempt.device.rawValue)
            let more = retried.compactMap { state.lastPulled[$0] }
            state.ready += more
            return !more.isEmpty
        }
        if hasMore { onWork.now?() }
    }

    /// Waits until all deliveries are pulled and given back.
    @discardableResult
    func allReturned(deliveries count: Int) async throws -> State {
        try await watched.wait(until: "\(count) deliveries are returned") {
            $0.haveAllReturned && $0.pullCounts.count == count
        }
    }
}
