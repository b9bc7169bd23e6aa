import CarillonClock
import CarillonSession
import CarillonWire
import NIOCore

/// The events of the channel that the session is told of.
extension RequestDispatcher {
    /// Begins an orderly stop, because the server stops.
    func beginDraining(reconnectAfterMilliseconds: UInt32) {
        session.beginDraining(at: Clock.uptime(), reconnectAfterMilliseconds: reconnectAfterMilliseconds)
    }

    /// Ends the session with an error that belongs to no request.
    func refuseConnection(_ error: ErrorReply) { session.refuseConnection(error) }

    /// Ends the input: the client has closed its sending direction, and every whole frame before was read.
    func inputClosed() { session.inputClosed() }

    /// Notes that the client takes its answers again.
    func outputResumed() { session.readingResumed(at: Clock.uptime()) }

    /// Runs the session's timers that are due.
    func timerFired() {
        let now = Clock.uptime()
        // While the client leaves its answers unread, or while there is no memory for the frame, the server does not
        // read. So the frame cannot end.
        if !channel.isWritable || turn.isStopped { session.readingResumed(at: now) }
        session.timerFired(at: now)
    }

    /// Removes and returns the bytes that are to be sent.
    func takeOutput() -> [UInt8] { session.output.take() }
}
