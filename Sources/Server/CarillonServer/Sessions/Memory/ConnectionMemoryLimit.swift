import CarillonCore

/// The limit of the memory of one connection: reading stops while the connection holds more than it may.
///
/// A connection holds requests without an answer, the frame that is coming in, answers that the socket has not taken,
/// and a page of a long read. The bytes that it may hold without asking are enough for one short request at a time, so
/// every connection makes progress.
///
/// Confined to the connection's event loop. `close` must be called at the end.
struct ConnectionMemoryLimit: ~Copyable {
    /// The bytes that the session holds, by use.
    struct HeldBytes {
        /// The memory of requests without an answer that are no long reads.
        var requests: Int
        /// The memory of the incomplete frame.
        var frame: Int
        /// The memory of the long reads that wait, and of the one that is read with its page.
        var longReads: Int
    }

    /// The bytes of a page of a long read, and of a piece of output, while memory is scarce.
    private static let shortBytes = 8 * 1_024

    /// The bytes that were written and that the socket had not taken when it was asked last.
    private var waitingOutputBytes = 0
    /// True while the caller waits for the socket to take output (`beginWaitingForSocket`).
    private var isWaitingForSocket = false
    private let budget: SharedMemoryBudget
    private var account: MemoryAccount

    init(_ budget: SharedMemoryBudget) {
        self.budget = budget
        account = MemoryAccount(budget)
    }

    /// Sets the number of bytes that were written and that the socket has not taken.
    mutating func outputWaits(_ bytes: Int) { waitingOutputBytes = bytes }

    /// True if bytes of the memory budget are held.
    var holdsAny: Bool { account.holdsAny }

    /// Returns the number of bytes of output that are collected before they are sent: `limit`, or fewer while memory is
    /// scarce.
    func pieceBytes(of limit: Int) -> Int { budget.isScarce ? Self.shortBytes : limit }

    /// Takes memory for one more request; returns false if the memory budget allows no more.
    mutating func reserveForRequest(beside held: HeldBytes, of principal: String) -> Bool {
        reserve(held.requests + waitingOutputBytes, for: .requests, of: principal)
            && reserve(held.longReads, for: .longReads, of: principal)
    }

    /// Takes memory for answers to requests that were read; returns false if the memory budget allows no more. The
    /// memory of these requests does not count: the answers give it back.
    mutating func reserveForAnswers(of principal: String) -> Bool {
        reserve(waitingOutputBytes, for: .requests, of: principal)
    }

    /// Takes memory for the rest of the incomplete frame; returns false if the memory budget allows no more.
    mutating func reserveForFrame(beside held: HeldBytes, of principal: String) -> Bool {
        reserve(held.requests + waitingOutputBytes + held.frame, for: .requests, of: principal)
    }

    /// Takes memory for a page of a long read. Returns the bytes that the page may have: `wanted`, or a few if the
    /// memory budget allows no more.
    mutating func reservePage(of wanted: Int, beside held: HeldBytes, of principal: String) -> Int {
        reserve(held.longReads + wanted, for: .longReads, of: principal) ? wanted : min(wanted, Self.shortBytes)
    }

    /// Gives back the memory that was taken beyond the need of the session, which holds `held` now.
    mutating func giveBackExcess(over held: HeldBytes) {
        account.giveBackExcess(over: held.requests + waitingOutputBytes + held.frame, for: .requests)
        account.giveBackExcess(over: held.longReads, for: .longReads)
    }

    /// Begins the wait until the socket may have taken output, so that more can be given back. Returns false if the
    /// caller waits already.
    mutating func beginWaitingForSocket() -> Bool {
        guard !isWaitingForSocket else { return false }
        isWaitingForSocket = true
        return true
    }

    mutating func endWaitingForSocket() { isWaitingForSocket = false }

    /// Gives back everything: the connection has ended.
    mutating func close() { account.close() }

    private mutating func reserve(_ bytes: Int, for use: MemoryBudget.Use, of principal: String) -> Bool {
        bytes <= MemoryAccount.freeBytes || account.reserve(bytes, for: use, of: principal)
    }
}
