import CarillonCore
import CarillonWire

/// The EVENT_CREDIT requests of a subscription, one at a time: the credit of the server for as many elements as may be
/// in memory, and the acknowledgement. Delivered elements that are not consumed yet are in memory too.
struct CreditReports {
    /// An EVENT_CREDIT that is not answered yet.
    struct Pending {
        let request: UInt64
        let acknowledged: UInt64
        /// The credit before the request.
        fileprivate let grantedBefore: UInt64
    }

    private var account: CreditAccount
    private(set) var pending: Pending?
    /// The earliest time at which EVENT_CREDIT is sent again after a refusal.
    private(set) var notBefore: Uptime = 0

    init(window: Int) {
        account = CreditAccount(window: window)
    }

    /// The maximum number of elements of the server in memory.
    var window: Int { account.window }

    /// The credit that the server has on this connection.
    var granted: UInt64 { account.granted }

    /// Begins a subscription on a new connection, and grants its first credit.
    ///
    /// - Parameters:
    ///   - taken: the elements that the program has taken so far.
    ///   - buffered: the elements in memory, which leave less room.
    mutating func begin(taken: Int, buffered: Int) {
        pending = nil
        notBefore = 0
        account.begin(taken: taken, buffered: buffered)
    }

    /// Counts a frame that was dropped, because its event had been received before.
    mutating func frameDropped() { account.frameDropped() }

    /// Counts an element that was inserted, for which the server has sent no frame.
    mutating func elementInserted() { account.elementInserted() }

    /// Returns the credit of the next request; nil if no request is due. It is more once half of the window is used,
    /// and as much as before if the request only acknowledges.
    ///
    /// - Parameters:
    ///   - taken: the elements that the program has taken so far.
    ///   - unsent: the number to acknowledge; 0 if there is none.
    func nextTotalCredit(taken: Int, unsent: UInt64) -> UInt64? {
        let raised = raisedAccount(taken: taken)
        return raised != nil || unsent > 0 ? (raised ?? account).granted : nil
    }

    /// Records that a request was sent with the credit that `nextTotalCredit` has returned for the same count.
    mutating func sent(_ request: UInt64, taken: Int, acknowledged: UInt64) {
        pending = Pending(request: request, acknowledged: acknowledged, grantedBefore: account.granted)
        account = raisedAccount(taken: taken) ?? account
    }

    private func raisedAccount(taken: Int) -> CreditAccount? {
        guard account.isDue(taken: taken) else { return nil }
        var raised = account
        raised.raise(taken: taken)
        return raised
    }

    /// Ends the pending request, which is answered; returns nil if the answer is to another request.
    mutating func answered(_ request: UInt64) -> Pending? {
        guard let pending, pending.request == request else { return nil }
        self.pending = nil
        return pending
    }

    /// Ends the pending request, which is refused, and takes back its credit.
    mutating func refused() {
        if let pending { account.revert(to: pending.grantedBefore) }
        pending = nil
    }

    /// Sends no request before a time.
    mutating func wait(until notBefore: Uptime) { self.notBefore = notBefore }

    /// Forgets the pending request, whose connection is left.
    mutating func forgetPending() { pending = nil }
}

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
