import CarillonClock
import CarillonCore
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The part of a client that all its views share: it passes calls from tasks to the dispatcher on its event loop.
final class SharedClient: Sendable {
    let configuration: CarillonClient.Configuration
    let eventLoop: any EventLoop
    /// The greatest position of a cluster's log that was seen.
    let positions = SeenPosition()
    let randomKeys = RandomKeys()
    private let dispatcher: NIOLoopBoundBox<CallDispatcher>
    private let inbox = CallInbox()
    private let isMeasured: Bool

    init(
        _ configuration: CarillonClient.Configuration, logger: Logger?, eventLoopGroup: (any EventLoopGroup)?
    ) {
        self.configuration = configuration
        let eventLoop = (eventLoopGroup ?? NIOSingletons.posixEventLoopGroup).next()
        self.eventLoop = eventLoop
        isMeasured = configuration.hooks.onCall != nil
        dispatcher = NIOLoopBoundBox.makeBoxSendingValue(
            CallDispatcher(configuration, eventLoop: eventLoop, inbox: inbox, positions: positions, logger: logger),
            eventLoop: eventLoop)
    }

    deinit {
        let dispatcher = dispatcher
        eventLoop.execute { dispatcher.value.closeNow() }
    }

    func close(drainTimeout: Duration) async {
        // The command goes through the same queue as calls: it runs after the calls before it, and before the calls
        // after it.
        await withCheckedContinuation { continuation in
            _ = put { _ in .close(drainTimeout: drainTimeout, continuation) }
        }
    }

    /// Lets the calls that follow see a position of a cluster's log.
    func readAfter(_ position: ClusterPosition) { put { _ in .readAfter(position) } }

    /// Starts a subscription of events; on the event loop only.
    func begin(_ consumer: EventConsumer) {
        dispatcher.value.begin(consumer)
    }

    /// Makes a call and waits for its result. Calls that one task makes one after the other begin in that order.
    func perform(_ kind: CallKind, options: CallOptions) async throws(CarillonError) -> CallResult {
        let timeout = options.timeout ?? configuration.requestTimeout
        let deadline = Clock.uptime() + timeout.milliseconds
        let startedAtNanoseconds = isMeasured ? Clock.uptimeNanoseconds() : 0
        // 0 until the call has its id.
        let id = Mutex<UInt64>(0)
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: Call.Continuation) in
                let call = Call(
                    kind, deadline: deadline, options: options, startedAtNanoseconds: startedAtNanoseconds,
                    wasCancelled: Task.isCancelled, continuation: continuation)
                let callID = put { .begin(call, id: $0) }
                id.withLock { $0 = callID }
                // A cancellation before this point has found no call.
                if Task.isCancelled { put { _ in .cancel(callID) } }
            }
        } onCancel: {
            let callID = id.withLock { $0 }
            if callID > 0 { put { _ in .cancel(callID) } }
        }
        return try result.get()
    }

    @discardableResult
    private func put(_ command: (_ nextCall: UInt64) -> CallInbox.Command) -> UInt64 {
        let (id, mustWake) = inbox.put(command)
        if mustWake {
            let dispatcher = dispatcher
            eventLoop.execute { dispatcher.value.takeCommands() }
        }
        return id
    }
}
