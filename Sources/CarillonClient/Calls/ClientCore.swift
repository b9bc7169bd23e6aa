import CarillonClock
import CarillonCore
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// What the views of one client share: takes calls from tasks to the dispatcher on its event loop.
final class ClientCore: Sendable {
    /// An order for the dispatcher.
    private enum Item {
        case begin(UInt64, Call)
        case cancel(UInt64)
        case observe(ClusterPosition)
        case close(Duration, CheckedContinuation<Void, Never>)
    }

    /// Orders in their sequence; the event loop takes all at once.
    private struct Inbox {
        var items: [Item] = []
        var lastCall: UInt64 = 0
    }

    /// Orders for which memory is reserved, at most.
    private static let reservedCount = 4_096

    let configuration: CarillonClient.Configuration
    let eventLoop: any EventLoop
    /// The greatest position of a cluster's log that was seen.
    let positions = SeenPosition()
    private let dispatcher: NIOLoopBoundBox<CallDispatcher>
    private let inbox = Mutex(Inbox())
    private let isMeasured: Bool

    init(
        _ configuration: CarillonClient.Configuration, _ logger: Logger?, eventLoopGroup: (any EventLoopGroup)?
    ) {
        self.configuration = configuration
        let eventLoop = (eventLoopGroup ?? NIOSingletons.posixEventLoopGroup).next()
        self.eventLoop = eventLoop
        isMeasured = configuration.hooks.onCall != nil
        dispatcher = NIOLoopBoundBox.makeBoxSendingValue(
            CallDispatcher(configuration, eventLoop, positions: positions, logger: logger), eventLoop: eventLoop)
    }

    deinit {
        let dispatcher = dispatcher
        eventLoop.execute { dispatcher.value.abandon() }
    }

    func close(_ drainTimeout: Duration) async {
        // The order goes through the same queue as calls: it runs after those before it, and before those after it.
        await withCheckedContinuation { continuation in
            _ = put { _ in .close(drainTimeout, continuation) }
        }
    }

    /// Lets the calls that follow see a position of a cluster's log.
    func observe(_ position: ClusterPosition) { put { _ in .observe(position) } }

    /// Starts a subscription of events; on the event loop only.
    func begin(_ consumer: EventConsumer) {
        dispatcher.value.begin(consumer)
    }

    /// Makes a call and waits for its result. Calls that one task makes one after the other begin in that order.
    func perform(_ kind: CallKind, _ options: CallOptions) async throws(CarillonError) -> CallResult {
        let timeout = options.timeout ?? configuration.requestTimeout
        let deadline = Clock.uptime() + timeout.milliseconds
        let startedAt = isMeasured ? Clock.uptimeNanoseconds() : 0
        let id = Mutex<UInt64>(0)
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: Call.Continuation) in
                let call = Call(
                    kind, deadline: deadline, options: options, startedAt: startedAt, continuation)
                let mine = put { .begin($0, call) }
                id.withLock { $0 = mine }
                // A cancellation before this point has found no call.
                if Task.isCancelled { put { _ in .cancel(mine) } }
            }
        } onCancel: {
            let mine = id.withLock { $0 }
            if mine > 0 { put { _ in .cancel(mine) } }
        }
        return try result.get()
    }

    @discardableResult
    private func put(_ item: (_ nextCall: UInt64) -> Item) -> UInt64 {
        let (id, isFirst) = inbox.withLock { inbox in
            inbox.lastCall += 1
            inbox.items.append(item(inbox.lastCall))
            return (inbox.lastCall, inbox.items.count == 1)
        }
        // One task for all orders that come before the event loop runs it.
        if isFirst { eventLoop.execute { self.takeInbox() } }
        return id
    }

    private func takeInbox() {
        let items = inbox.withLock { inbox in
            let items = inbox.items
            inbox.items = []
            // As many come again, most often.
            inbox.items.reserveCapacity(min(items.count, Self.reservedCount))
            return items
        }
        let dispatcher = dispatcher.value
        for item in items {
            switch item {
            case .begin(let id, let call): dispatcher.begin(id, call)
            case .cancel(let id): dispatcher.cancel(id)
            case .observe(let position): dispatcher.observe(position)
            case .close(let limit, let continuation): dispatcher.close(limit, continuation)
            }
        }
    }
}
