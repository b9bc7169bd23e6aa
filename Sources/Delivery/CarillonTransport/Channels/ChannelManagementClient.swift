package import CarillonAPNs
package import CarillonCore
package import Logging
package import NIOCore

/// Sends the requests of APNs' channel management, with one credential in one environment.
///
/// All functions may be called from any thread. ``ChannelManagementDispatcher`` does the work on one event loop.
package final class ChannelManagementClient: Sendable {
    /// Called with the result of a request exactly once, on the event loop of this client.
    package typealias Completion = @Sendable (Result<ChannelAnswer, ChannelManagementError>) -> Void

    private let loop: any EventLoop
    private let state: NIOLoopBoundBox<ChannelManagementDispatcher>

    /// Makes a client without a connection.
    ///
    /// - Parameter target: the server of channel management, and the authorization.
    package init(
        _ target: PoolTarget, loop: any EventLoop,
        limits: ChannelManagementSchedule.Limits = ChannelManagementSchedule.Limits(),
        metrics: ChannelMetrics, logger: Logger
    ) {
        self.loop = loop
        var logger = logger
        logger[metadataKey: "pool"] = "\(target.key)"
        state = NIOLoopBoundBox.makeBoxSendingValue(
            ChannelManagementDispatcher(target, loop: loop, limits: limits, metrics: metrics, logger: logger),
            eventLoop: loop)
    }

    /// Sends a request, or queues it until there is a connection.
    ///
    /// - Parameter deadline: when the request is given up if it has not been sent; nil if it has no deadline.
    package func send(
        _ request: ChannelManagementRequest, of app: AppID, deadline: Uptime?, _ completion: @escaping Completion
    ) {
        loop.execute { [state] in state.value.send(request, of: app, deadline: deadline, completion) }
    }

    /// Takes no new requests, awaits the requests on the way, and closes; done when the connection is closed.
    package func close() -> EventLoopFuture<Void> {
        let done = loop.makePromise(of: Void.self)
        loop.execute { [state] in state.value.close(done) }
        return done.futureResult
    }
}
