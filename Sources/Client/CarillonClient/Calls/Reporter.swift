import CarillonClock
import CarillonCore
import Logging

/// The reports to the program by its hooks and its logger. It is used on the event loop only.
final class Reporter {
    private let hooks: ClientHooks
    private let logger: Logger?
    /// The number of failed attempts and lost connections since a connection has worked.
    private var failureCount = 0

    init(_ hooks: ClientHooks, logger: Logger?) {
        self.hooks = hooks
        self.logger = logger
    }

    func callEnded(_ call: Call, with result: Result<CallResult, CarillonError>) {
        guard let onCall = hooks.onCall else { return }
        let error: CarillonError? = if case .failure(let error) = result { error } else { nil }
        let elapsed = Clock.uptimeNanoseconds() - min(call.startedAtNanoseconds, Clock.uptimeNanoseconds())
        onCall(
            CallReport(
                operation: call.operation, address: call.address, duration: .nanoseconds(Int64(clamping: elapsed)),
                attempts: call.attempts, code: error?.code, effect: error?.effect ?? .executed))
    }

    /// Reports an attempt that has failed and is followed by another.
    func callRetried(_ call: Call, after error: CarillonError, pause: Duration) {
        hooks.onRetry?(
            RetryReport(operation: call.operation, attempt: call.attempts, pause: pause, error: error))
    }

    func stateChanged(_ state: ConnectionState) {
        log(state)
        hooks.onState?(state)
    }

    private func log(_ state: ConnectionState) {
        guard let logger else { return }
        switch state {
        case .connecting, .closed: break
        case .connected(let address, let software, _):
            let values: Logger.Metadata = ["server": "\(address)", "software": "\(software)"]
            if failureCount > 0 {
                logger.notice(
                    "connected to Carillon again", metadata: values.merging(["failures": "\(failureCount)"]) { $1 })
            } else {
                logger.debug("connected to Carillon", metadata: values)
            }
            failureCount = 0
        case .failed(let address, let error):
            failureCount += 1
            logger.warning("cannot connect to Carillon", metadata: metadata(of: error, at: address))
        case .disconnected(let address, let error):
            failureCount += 1
            logger.warning("the connection to Carillon is lost", metadata: metadata(of: error, at: address))
        case .refused(let address, let error):
            logger.error("Carillon refuses this client", metadata: metadata(of: error, at: address))
        case .draining(let address, let reason):
            logger.info(
                "the server takes no more requests on this connection",
                metadata: ["server": "\(address)", "reason": "\(reason)"])
        case .newHistory(let before, let now):
            logger.warning(
                "the server has another history: ids and event numbers of the old one mean nothing",
                metadata: ["epoch": "\(now)", "epoch_before": "\(before)"])
        }
    }

    private func metadata(of error: CarillonError, at address: CarillonClient.Configuration.Address) -> Logger.Metadata
    {
        [
            "server": "\(address)", "code": "\(error.code)", "error": "\(error.message)",
            "failures": "\(failureCount)",
        ]
    }
}
