import CarillonCore
import NIOCore
import Synchronization

/// A source of deliveries for a pool without a server: one message to `count` distinct devices.
final class BenchSource: DeliverySource {
    /// The numbers of the deliveries that were handed out, released and ended, and the promise of the end of all.
    private struct State {
        var nextIndex = 0
        var releasedCount = 0
        var deliveredCount = 0
        var failedCount = 0
        var done: EventLoopPromise<Void>?
    }

    private let message: OutboundMessage.Shared
    private let pages: [RecipientPage]
    private let state = Mutex(State())

    /// The devices to which a message goes.
    enum Devices {
        /// The devices have distinct tokens of APNs, 32 bytes each.
        case apns
        /// The devices have distinct registration tokens of FCM.
        case fcm
        /// The devices are browsers in turn, with their subscriptions in the stored form.
        case web([[UInt8]])
    }

    init(content: MessageContent, count: Int, devices: Devices = .apns) {
        let id = MessageID(rawValue: 1)
        message = OutboundMessage.Shared(
            OutboundMessage(id: id, content: content, sendableSince: .zero, notAfter: nil, lane: .bulk))
        let perPage = RegistryLimits.recipientsPerPage
        pages = stride(from: 0, to: count, by: perPage).map { start in
            var builder = RecipientPage.Builder(capacity: perPage)
            for index in start..<min(start + perPage, count) {
                Self.append(index, position: UInt16(index - start), of: devices, to: &builder)
            }
            return builder.page(UInt32(start / perPage), of: id)
        }
    }

    private static func append(
        _ index: Int, position: UInt16, of devices: Devices, to builder: inout RecipientPage.Builder
    ) {
        var recipient = RecipientPage.Recipient(
            position: position, device: DeviceID(rawValue: UInt64(index + 1)), environment: .production)
        switch devices {
        case .apns: builder.append(recipient, token: BenchDevice.tokenBytes(index))
        case .fcm:
            recipient.kind = .fcm
            builder.append(recipient, token: BenchDevice.fcmTokenBytes(index))
        case .web(let subscriptions):
            recipient.kind = .web
            BenchDevice.tokenBytes(index).withUnsafeBufferPointer { token in
                subscriptions[index % subscriptions.count].withUnsafeBufferPointer {
                    builder.append(recipient, token: token, subscription: $0)
                }
            }
        }
    }

    /// Releases the first `count` deliveries. The future succeeds when each has its verdict.
    func release(upTo count: Int, on loop: any EventLoop) -> EventLoopFuture<Void> {
        let promise = loop.makePromise(of: Void.self)
        state.withLock { state in
            state.releasedCount = count
            state.done = promise
        }
        return promise.futureResult
    }

    func pull(for pool: PoolKey, _ limits: PullLimits, into deliveries: inout [Delivery]) {
        let range = state.withLock { state in
            let start = state.nextIndex
            state.nextIndex = min(state.releasedCount, start + limits.all)
            return start..<state.nextIndex
        }
        for index in range {
            let page = pages[index / RegistryLimits.recipientsPerPage]
            deliveries.append(
                Delivery(
                    message: message, page: page, index: index % RegistryLimits.recipientsPerPage,
                    device: DeviceID(rawValue: UInt64(index + 1)), handedOutAt: 0))
        }
    }

    func attemptsEnded(_ results: [AttemptResult], for pool: PoolKey) {
        let delivered = results.count { $0.verdict == .delivered }
        let done = state.withLock { state -> EventLoopPromise<Void>? in
            state.deliveredCount += delivered
            state.failedCount += results.count - delivered
            guard state.deliveredCount + state.failedCount >= state.releasedCount else { return nil }
            defer { state.done = nil }
            return state.done
        }
        done?.succeed(())
    }

    func hasWork(for pool: PoolKey) -> Bool { state.withLock { $0.nextIndex < $0.releasedCount } }

    func credentialRefused(of pool: PoolKey, reason: String, reportedBy identity: ObjectIdentifier) {}

    func reachabilityChanged(of pool: PoolKey, isReachable: Bool, reportedBy identity: ObjectIdentifier) {}

    func connectionChanged(of pool: PoolKey, isUp: Bool) {}

    /// The number of deliveries with a verdict other than `delivered`.
    var failedCount: Int { state.withLock { $0.failedCount } }
}

/// The devices of all benches. They are numbered, and the token is computed from the number.
enum BenchDevice {
    /// Returns the token of a device: 32 bytes, which are the same at every run.
    static func tokenBytes(_ number: Int) -> [UInt8] {
        // Consecutive numbers must not give consecutive tokens: tokens of APNs are random.
        var generator = SeededGenerator(seed: UInt64(number) &* 0xD6E8_FEB8_6659_FD93)
        return (0..<4).flatMap { _ in withUnsafeBytes(of: generator.next().bigEndian) { Array($0) } }
    }

    /// Returns the registration token of FCM of a device: 143 bytes, which are the same at every run.
    static func fcmTokenBytes(_ number: Int) -> [UInt8] {
        let head = Hex.string(tokenBytes(number))
        let tail = Hex.string(tokenBytes(number | 1 << 40))
        return Array("c\(head.prefix(21)):APA91b\(head)\(tail.prefix(50))".utf8)
    }

    static func address(_ number: Int) -> DeviceAddress? {
        DeviceToken(tokenBytes(number)).map { DeviceAddress(environment: .production, kind: .device, token: $0) }
    }
}
