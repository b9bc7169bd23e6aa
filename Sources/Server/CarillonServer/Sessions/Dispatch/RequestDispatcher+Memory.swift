import CarillonSession
import NIOCore

/// Takes the memory of the connection: asks the limit for it, and stops the reading while the limit refuses.
extension RequestDispatcher {
    /// The time until memory is asked for again.
    private static let retry = TimeAmount.milliseconds(250)

    var heldBytes: ConnectionMemoryLimit.HeldBytes {
        ConnectionMemoryLimit.HeldBytes(
            requests: session.requestMemory - waiting.longReads.requestBytes, frame: session.incompleteFrameBytes,
            longReads: waiting.longReads.bytes)
    }

    /// Asks the channel for the bytes that were written and that the socket has not taken.
    func measureOutput() {
        // Why try?: a channel that does not know the option keeps nothing back.
        memory.outputWaits(Int((try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0))
    }

    /// Takes memory for one more request. Returns false, and stops the reading, if the memory budget allows no more.
    func reserveMemoryForRequest() -> Bool {
        if memory.reserveForRequest(beside: heldBytes, of: principalName) { return true }
        stopReading(for: Self.retry)
        return false
    }

    /// Takes memory for answers to requests that were read. Returns false, and stops the reading, if the memory budget
    /// allows no more.
    func reserveMemoryForAnswers() -> Bool {
        if memory.reserveForAnswers(of: principalName) { return true }
        stopReading(for: Self.retry)
        return false
    }

    /// Takes memory for the rest of the incomplete frame. Returns false, and stops the reading, if the memory budget
    /// allows no more.
    func reserveMemoryForFrame() -> Bool {
        guard session.incompleteFrameBytes > 0 else { return true }
        measureOutput()
        if memory.reserveForFrame(beside: heldBytes, of: principalName) { return true }
        stopReading(for: Self.retry)
        return false
    }

    /// Takes memory for the answers that the client has not taken, so that the next page may be read. Returns false if
    /// the client is too slow, or if the memory budget allows no more.
    func reserveMemoryForPage() -> Bool {
        guard channel.isWritable else { return false }
        measureOutput()
        return reserveMemoryForAnswers()
    }

    /// Takes memory for a page of the next long read; returns its bytes.
    func reservePage() -> Int {
        memory.reservePage(of: session.maximumAnswerBytes, beside: heldBytes, of: principalName)
    }

    /// Gives back the memory that is no longer needed; called after answers and output.
    func giveBackExcess() {
        guard memory.holdsAny else { return }
        measureOutput()
        memory.giveBackExcess(over: heldBytes)
        // Nothing tells when the socket has taken the output.
        guard memory.holdsAny, !hasEnded, memory.beginWaitingForSocket() else { return }
        loop.assumeIsolated().scheduleTask(in: Self.retry) { [self] in
            memory.endWaitingForSocket()
            giveBackExcess()
        }
    }
}
