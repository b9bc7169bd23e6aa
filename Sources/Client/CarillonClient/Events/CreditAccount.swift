/// The credit of a subscription of events: how many frames the server may send on it in all (Protocol 11).
///
/// The server counts the frames of the subscription; the program counts the elements that it takes, over all
/// connections. The account translates one count into the other: `offset` is the program's count that corresponds to
/// credit 0. A frame that is dropped lowers it, because the program never takes it; an element that the client inserts
/// raises it, because the server has sent no frame for it.
struct CreditAccount {
    /// The maximum number of elements of the server in memory, at least 2.
    let window: Int
    /// The credit that the server has on this connection.
    private(set) var granted: UInt64 = 0
    private var offset = 0

    /// Makes the account of a subscription that has no credit yet.
    /// - Parameter window: the maximum number of elements of the server in memory; less than 2 counts as 2.
    init(window: Int) { self.window = max(2, window) }

    /// Begins a subscription on a new connection, and grants its first credit.
    ///
    /// - Parameters:
    ///   - taken: the elements that the program has taken so far.
    ///   - buffered: the elements in memory, which leave less room.
    mutating func begin(taken: Int, buffered: Int) {
        offset = taken + buffered
        granted = wanted(taken)
    }

    /// Counts a frame that was dropped, because its event had been received before.
    mutating func frameDropped() { offset -= 1 }

    /// Counts an element that was inserted, for which the server has sent no frame.
    mutating func elementInserted() { offset += 1 }

    /// Returns true if half of the window is used, so that the server is to get more credit.
    func isDue(taken: Int) -> Bool { Int(clamping: granted) - (taken - offset) <= window / 2 }

    /// Grants the credit for a whole window; never lowers the credit.
    mutating func raise(taken: Int) { granted = max(granted, wanted(taken)) }

    /// Takes back a credit that did not reach the server.
    mutating func revert(to before: UInt64) { granted = before }

    private func wanted(_ taken: Int) -> UInt64 { UInt64(max(taken - offset + window, 0)) }
}
