import CarillonClock
import CarillonCore
import CarillonSession
import NIOCore

/// The stops of the reading: for a time, or until the other connections of the loop have had their turn.
extension RequestDispatcher {
    /// The name of the client; empty until it is known.
    var principalName: String { session.principal?.name ?? "" }

    func beginTimeSlice() { turn.beginTimeSlice(atNanoseconds: Clock.uptimeNanoseconds()) }

    /// Returns true if this client has no other connection that waits for its turn. Otherwise puts this connection
    /// behind the one that waits.
    func takeTurnOrWait() -> Bool {
        guard !turn.isUnderWay, turns.isWaiting(principalName), hasInput else { return true }
        waitForTurn()
        return false
    }

    /// Reads on when the other clients of the loop have had their turn.
    func waitForTurn() {
        guard !hasEnded, turn.stop() else { return }
        turns.append(of: principalName) { [self] in
            turn.begin()
            if !hasEnded { onReadingAllowed?() }
            turn.end()
        }
    }

    /// Reads no further for some time, and then waits for its turn. Without the turn, thousands of connections could be
    /// due at once, and a loop runs all due timers before it looks at its sockets.
    func stopReading(for time: TimeAmount) {
        guard !hasEnded, turn.stop() else { return }
        loop.assumeIsolated().scheduleTask(in: time) { [self] in
            turn.resume()
            waitForTurn()
        }
    }
}
