import CarillonClock
import CarillonCore
import CarillonSession
import NIOCore

/// Pauses of the reading: for a time, or until the other connections of the loop have had their turn.
extension RequestDispatcher {
    /// The name of the client; empty until it is known.
    var principalName: String { session.principal?.name ?? "" }

    /// A time slice begins.
    func beginSlice() { sliceEnd = Clock.uptimeNanoseconds() + LoopTurns.sliceNanoseconds }

    /// Returns true if this client has no other connection that waits for its turn. Otherwise puts this one behind it.
    func takeTurnOrWait() -> Bool {
        guard !hasTurn, turns.isWaiting(principalName), hasInput else { return true }
        waitForTurn()
        return false
    }

    /// Reads on when the other clients of the loop have had their turn.
    func waitForTurn() {
        guard !isPaused, !hasEnded else { return }
        isPaused = true
        turns.append(of: principalName) { [self] in
            isPaused = false
            hasTurn = true
            if !hasEnded { onProgress?() }
            hasTurn = false
        }
    }

    /// Reads no further for some time, and then waits for its turn: a loop runs all timers that are due before it looks
    /// at its sockets, and thousands of connections can be due at once.
    func pause(for time: TimeAmount) {
        guard !isPaused, !hasEnded else { return }
        isPaused = true
        loop.assumeIsolated().scheduleTask(in: time) { [self] in
            isPaused = false
            waitForTurn()
        }
    }
}
