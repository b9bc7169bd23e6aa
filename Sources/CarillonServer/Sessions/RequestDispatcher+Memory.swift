import CarillonCore
import CarillonSession
import NIOCore

/// The memory of one connection: reading stops while it holds more than it may.
///
/// A connection holds requests without an answer, the frame that is coming in, answers that the socket has not taken,
/// and a page of a listing. What it may hold without asking is enough for one short request at a time, so every
/// connection gets on.
extension RequestDispatcher {
    /// The pause until memory is asked for again.
    private static let retry = TimeAmount.milliseconds(250)
    /// A page of a listing, and a piece of output, while memory is scarce.
    private static let shortBytes = 8 * 1_024

    /// The name of the client; empty until it is known.
    var owner: String { session.principal?.name ?? "" }

    /// The bytes of output at which it is sent.
    var pieceBytes: Int { dependencies.memory.isScarce ? Self.shortBytes : dependencies.limits.outputPieceBytes }

    /// Asks the channel for the bytes that were written and that the socket has not taken.
    func measureOutput() {
        // Why: a channel that does not know the option keeps nothing back.
        waitingOutput = Int((try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0)
    }

    /// Takes memory for one more request. Returns false, and pauses the reading, if there is none.
    func reserveMemoryForRequests() -> Bool {
        let requests = session.requestMemory - listingMemory
        guard covers(requests + waitingOutput, for: .requests), covers(listingMemory + pageBytes, for: .listings) else {
            pause(for: Self.retry)
            return false
        }
        return true
    }

    /// Takes memory for answers to requests that were read. Their own memory does not count: the answers give it back.
    /// Returns false, and pauses the reading, if there is none.
    func reserveMemoryForAnswers() -> Bool {
        guard covers(waitingOutput, for: .requests) else {
            pause(for: Self.retry)
            return false
        }
        return true
    }

    /// Takes memory for the rest of the incomplete frame. Returns false, and pauses the reading, if there is none.
    func reserveMemoryForFrame() -> Bool {
        let frame = session.incompleteFrameBytes
        guard frame > 0 else { return true }
        measureOutput()
        guard covers(session.requestMemory - listingMemory + waitingOutput + frame, for: .requests) else {
            pause(for: Self.retry)
            return false
        }
        return true
    }

    /// Takes memory for the answers that the client has not taken, so that the next page may be read. Returns false if
    /// the client is too slow, or if there is none.
    func reserveMemoryForPage() -> Bool {
        guard channel.isWritable else { return false }
        measureOutput()
        return reserveMemoryForAnswers()
    }

    /// Takes memory for a page and returns its bytes: all that the client takes, or less while memory is scarce.
    func takePage() -> UInt32 {
        let wanted = session.answerBytes
        pageBytes = covers(listingMemory + wanted, for: .listings) ? wanted : min(wanted, Self.shortBytes)
        return UInt32(clamping: pageBytes)
    }

    /// Gives back what is not needed any more; called when something was answered or sent.
    func settleMemory() {
        guard memory.holdsAny else { return }
        measureOutput()
        let held = session.requestMemory - listingMemory + waitingOutput + session.incompleteFrameBytes
        memory.settle(held, for: .requests)
        memory.settle(listingMemory + pageBytes, for: .listings)
        // Nothing tells when the socket has taken the output.
        guard memory.holdsAny, !isSettling, !hasEnded else { return }
        isSettling = true
        loop.assumeIsolated().scheduleTask(in: Self.retry) { [self] in
            isSettling = false
            settleMemory()
        }
    }

    private func covers(_ bytes: Int, for use: MemoryBudget.Use) -> Bool {
        bytes <= MemoryAccount.freeBytes || memory.covers(bytes, for: use, of: owner)
    }

    /// Reads no further for some time.
    func pause(for time: TimeAmount) {
        guard !isPaused, !hasEnded else { return }
        isPaused = true
        loop.assumeIsolated().scheduleTask(in: time) { [self] in
            isPaused = false
            if !hasEnded { onProgress?() }
        }
    }
}
