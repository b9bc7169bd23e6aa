import CarillonCore

/// Decides whether one connection may hold more memory: reading stops while it holds more than it may.
///
/// A connection holds requests without an answer, the frame that is coming in, answers that the socket has not taken,
/// and a page of a long read. What it may hold without asking is enough for one short request at a time, so every
/// connection makes progress.
///
/// Confined to the connection's event loop. `close` must be called at the end.
struct ConnectionMemoryLimit: ~Copyable {
    /// What the session holds, in bytes.
    struct Load {
        /// Requests without an answer that are no long reads.
        var requests: Int
        /// The incomplete frame.
        var frame: Int
        /// Long reads that wait, and the one that is read with its page.
        var longReads: Int
    }

    /// A page of a long read, and a piece of output, while memory is scarce, in bytes.
    private static let shortBytes = 8 * 1_024

    /// Bytes that were written and that the socket had not taken when it was asked last.
    var waitingOutput = 0
    private let budget: SharedMemoryBudget
    private var account: MemoryAccount

    init(_ budget: SharedMemoryBudget) {
        self.budget = budget
        account = MemoryAccount(budget)
    }

    /// True if bytes of the memory budget are held.
    var holdsAny: Bool { account.holdsAny }

    /// How many bytes of output are collected before they are sent: `limit`, or fewer while memory is scarce.
    func pieceBytes(of limit: Int) -> Int { budget.isScarce ? Self.shortBytes : limit }

    /// Takes memory for one more request; false if there is none.
    mutating func reserveForRequest(beside load: Load, of principal: String) -> Bool {
        reserve(load.requests + waitingOutput, for: .requests, of: principal)
            && reserve(load.longReads, for: .longReads, of: principal)
    }

    /// Takes memory for answers to requests that were read; false if there is none. The memory of these requests does
    /// not count: the answers give it back.
    mutating func reserveForAnswers(of principal: String) -> Bool {
        reserve(waitingOutput, for: .requests, of: principal)
    }

    /// Takes memory for the rest of the incomplete frame; false if there is none.
    mutating func reserveForFrame(beside load: Load, of principal: String) -> Bool {
        reserve(load.requests + waitingOutput + load.frame, for: .requests, of: principal)
    }

    /// Takes memory for a page of a long read and returns its bytes: all that are wanted, or less while memory is
    /// scarce.
    mutating func reservePage(of wanted: Int, beside load: Load, of principal: String) -> Int {
        reserve(load.longReads + wanted, for: .longReads, of: principal) ? wanted : min(wanted, Self.shortBytes)
    }

    /// The session holds `load` now: gives back what it has taken and does not need.
    mutating func giveBackExcess(over load: Load) {
        account.giveBackExcess(over: load.requests + waitingOutput + load.frame, for: .requests)
        account.giveBackExcess(over: load.longReads, for: .longReads)
    }

    /// The connection has ended: gives back everything.
    mutating func close() { account.close() }

    private mutating func reserve(_ bytes: Int, for use: MemoryBudget.Use, of principal: String) -> Bool {
        bytes <= MemoryAccount.freeBytes || account.reserve(bytes, for: use, of: principal)
    }
}
