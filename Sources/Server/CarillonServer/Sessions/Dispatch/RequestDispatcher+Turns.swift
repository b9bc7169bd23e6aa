import CarillonClock
import CarillonCore
import CarillonSession
import NIOCore

/// Stops reading for a time, or until the other connections of the loop have had their turn.
extension RequestDispatcher {
    /// The name of the client; empty until it is known.
    var principalName: String { session.principal?.name ?? "" }

    func beginTimeSlice() { turn.beginTimeSlice(atNanoseconds: Clock.uptimeNanoseconds()) }

    /// Returns true if this connection may read on now: it has its turn, or no other connection of this client waits
    /// for one. Otherwise puts this connection behind those that wait. Without input there is nothing to wait for.
    func takeTurnOrWait() -> Bool {
        guard !turn.isUnderWay, turns.isWaiting(principalName), hasInput else { return true }
        waitForTurn()
        return false
    }

    /// Stops the reading until the other clients of the loop have had their turn.
    func waitForTurn() {
        guard !hasEnded, turn.stop() else { return }
        turns.append(of: principalName) { [self] in
            turn.begin()
            if !hasEnded { onReadingAllowed?() }
            turn.end()
        }
    }

    /// Stops the reading for some time, and then waits for a turn. Without the turn, thousands of connections could
    /// read at the same moment: a loop runs all timers that are due before it looks at its sockets.
    func stopReading(for time: TimeAmount) {
        guard !hasEnded, turn.stop() else { return }
        loop.assumeIsolated().scheduleTask(in: time) { [self] in
            turn.resume()
            waitForTurn()
        }
    }
}
