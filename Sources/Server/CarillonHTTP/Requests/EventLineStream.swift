import CarillonCore
import CarillonGateway
import NIOCore

/// One subscription of events, written as a line of JSON for each event. The credit follows what the reader has taken,
/// so that a slow one costs no memory.
// Safety: every use is on the loop of the port.
final class EventLineStream: @unchecked Sendable {
    let lines = LineStream()
    /// Sends credit.
    var onCredit: ((UInt64) -> Void)?
    /// Ends the subscription.
    var onClose: (() -> Void)?
    private let accepted: EventLoopPromise<Void>
    private var receivedCount: UInt64 = 0
    private var totalCredit = Gateway.eventCreditWindow
    private var heartbeat: RepeatedTask?

    /// Makes the stream of a subscription that is sent to the server.
    ///
    /// - Parameter accepted: succeeds when the server has accepted the subscription, or fails with its refusal.
    init(accepted: EventLoopPromise<Void>, on loop: any EventLoop) {
        self.accepted = accepted
        lines.onClose = { [weak self] in self?.close() }
        lines.onDrain = { [weak self] in self?.grant() }
        let bound = NIOLoopBound(self, eventLoop: loop)
        // An empty line shows both sides that the other is there.
        heartbeat = loop.scheduleRepeatedTask(initialDelay: .seconds(15), delay: .seconds(15)) { _ in
            bound.value.lines.write([UInt8(ascii: "\n")])
        }
    }

    /// Begins the stream: the server has accepted the subscription.
    func subscriptionAccepted() { accepted.succeed() }

    /// Ends the stream of lines: the server has refused the subscription.
    func subscriptionRefused(_ error: GatewayError) {
        heartbeat?.cancel()
        accepted.fail(error)
        lines.end()
    }

    /// Ends the stream of lines: the session has ended, and the subscription with it.
    func sessionEnded() {
        heartbeat?.cancel()
        accepted.fail(GatewayError.sessionEnded.with(effect: .notExecuted))
        lines.end()
    }

    /// Writes an event as a line, and grants credit when half of it is used.
    func eventReceived(_ json: [UInt8]) {
        receivedCount += 1
        lines.write(json + [UInt8(ascii: "\n")])
        if receivedCount + Gateway.eventCreditWindow / 2 >= totalCredit { grant() }
    }

    private func grant() {
        guard lines.isWritable() else { return }
        totalCredit = receivedCount + Gateway.eventCreditWindow
        onCredit?(totalCredit)
    }

    private func close() {
        heartbeat?.cancel()
        accepted.fail(GatewayError(.internal, message: "the reader has gone"))
        onClose?()
        onClose = nil
        onCredit = nil
    }
}
