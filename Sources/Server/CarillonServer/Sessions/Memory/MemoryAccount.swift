import CarillonCore

/// The memory that one connection holds of the memory budget. A little is not taken from the budget, so that short
/// requests never wait for memory.
///
/// Confined to the connection's event loop. `close` must be called at the end.
struct MemoryAccount: ~Copyable {
    /// The bytes that every connection may hold without asking, for each use.
    static let freeBytes = 16 * 1_024
    /// The bytes that are taken at a time, so that not every request takes the lock of the memory budget.
    private static let stepBytes = 64 * 1_024
    /// The bytes that are kept beyond need, so that the same bytes do not come and go.
    private static let slackBytes = 4 * stepBytes

    private let memory: SharedMemoryBudget
    private var requestBytes = 0
    private var longReadBytes = 0
    /// The name of the client for which bytes were taken; empty for a client that was not known then.
    private var principal = ""

    init(_ memory: SharedMemoryBudget) {
        self.memory = memory
    }

    /// True if bytes of the memory budget are held.
    var holdsAny: Bool { requestBytes > 0 || longReadBytes > 0 }

    /// Returns true if the connection may hold `bytes` for that use. Takes the missing bytes from the memory budget.
    mutating func reserve(_ bytes: Int, for use: MemoryBudget.Use, of principal: String) -> Bool {
        let missing = bytes - Self.freeBytes - heldBytes(for: use)
        guard missing > 0 else { return true }
        if !holdsAny { self.principal = principal }
        let asked = Self.roundedUp(missing)
        guard memory.take(asked, for: use, of: self.principal) else { return false }
        add(asked, for: use)
        return true
    }

    /// Gives back what was taken for that use beyond its need: the connection now holds `bytes` for it.
    mutating func giveBackExcess(over bytes: Int, for use: MemoryBudget.Use) {
        let held = heldBytes(for: use)
        guard held > 0 else { return }
        let needed = bytes > Self.freeBytes ? Self.roundedUp(bytes - Self.freeBytes) : 0
        guard needed == 0 || held > needed + Self.slackBytes else { return }
        giveBack(held - min(held, needed), of: use)
    }

    /// Gives back everything: the connection has ended.
    mutating func close() {
        for use in MemoryBudget.Use.allCases { giveBack(heldBytes(for: use), of: use) }
    }

    private func heldBytes(for use: MemoryBudget.Use) -> Int {
        use == .requests ? requestBytes : longReadBytes
    }

    private mutating func add(_ bytes: Int, for use: MemoryBudget.Use) {
        if use == .requests { requestBytes += bytes } else { longReadBytes += bytes }
    }

    private mutating func giveBack(_ bytes: Int, of use: MemoryBudget.Use) {
        guard bytes > 0 else { return }
        memory.giveBack(bytes, of: use, by: principal)
        add(-bytes, for: use)
    }

    private static func roundedUp(_ bytes: Int) -> Int { (bytes + stepBytes - 1) / stepBytes * stepBytes }
}
