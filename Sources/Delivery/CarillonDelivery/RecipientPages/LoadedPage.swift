import CarillonCore
import DequeModule

/// A page in memory: its recipients, the state of each, and the rows that are not on disk.
///
/// A page has up to 4,096 recipients, and many pages can be in memory. So a recipient costs an entry of a few
/// bytes (``RecipientStates``), and not an object of its own. A recipient is *ready* until a connection takes it, *in
/// flight* until the provider answers, and then *ended*, or *delayed* until its next attempt. If its device has changed
/// since the page was read, the page is read again before the recipient is sent to. The outcome of a recipient that has
/// ended is a row (``UnwrittenRows``) until it is on disk.
///
/// For example, a page has 400 recipients. Of these, 300 get their push within a second and their outcomes are written.
/// The other 100 wait for a provider that is busy. Then the page shrinks: it keeps 100 recipients, and counts for 100
/// in the bound on recipients in memory.
struct LoadedPage {
    /// The version of a token: its destination, and when it was registered.
    private struct TokenVersion: Equatable {
        var destination: PushDestination
        var at: Timestamp

        init(_ recipient: RecipientPage.Recipient) {
            destination = recipient.destination
            at = recipient.registeredAt
        }
    }

    /// The recipients as they were last read.
    private(set) var content: RecipientPage
    /// The sequence number of the read (`ChangedDevices`): the page lacks the changes of devices that have higher
    /// numbers.
    private(set) var sequence: UInt64
    /// The number of recipients that the page counts for in the engine's bound.
    private(set) var countedRecipients: Int
    private var unwrittenRows: UnwrittenRows
    /// The destinations for which the page is in the queue of a pool.
    private(set) var isQueued = ByDestination { _ in false }
    /// The destinations for which the page must be put into the queue of a pool, because a recipient has become ready.
    private var needsQueue = ByDestination { _ in false }

    /// The states of the recipients; some recipients with an outcome are not tracked.
    private var states: RecipientStates
    private var ready = ByDestination { _ in Deque<UInt16>() }
    private var dueAt: [UInt16: Uptime] = [:]
    /// The time at which the first delayed recipient is due; nil if no recipient is delayed.
    private(set) var earliestDue: Uptime?
    /// The uptime of the timer that is set for the page; nil if none is set.
    private var timerAt: Uptime?
    /// The tokens that are tried in the other environment, because the provider called them bad in their own.
    private var otherEnvironment: [UInt16: TokenVersion] = [:]
    /// The devices that got a silent push whose outcome is not on disk, by position.
    private var silentDeliveries: [UInt16: DeviceID] = [:]
    /// True if a recipient was tried more than once, or will be.
    private var hasRetries: Bool
    /// The number of times that a recipient came back unprocessed, by position.
    private var unprocessed: [UInt16: UInt8] = [:]

    /// True if the page has recipients that have not ended and are out of memory until it is read again.
    private(set) var isPartial = false

    /// The smallest number of recipients that a page counts for after it has shrunk: a page also takes memory besides
    /// its recipients.
    static let minimumCounted = 64

    init(_ page: RecipientPage, sequence: UInt64) {
        content = page
        self.sequence = sequence
        unwrittenRows = UnwrittenRows(addressed: page.addressed)
        countedRecipients = page.recipients.count
        hasRetries = page.recipients.contains { $0.attempts > 0 }
        states = RecipientStates(page.recipients)
    }

    var unfinishedCount: Int { states.unfinishedCount }
    var inFlightCount: Int { states.inFlightCount }
    /// The number of recipients that wait for the page to be read again.
    var changedCount: Int { states.changedCount }
    var delayedCount: Int { states.delayedCount }

    // MARK: The page as a whole

    /// Returns true if the page holds back the next page of its message: some of its unfinished recipients are neither
    /// delayed, nor in flight, nor ready for a pool that is stalled. They can be handed out now, or wait for the page
    /// to be read again.
    ///
    /// Recipients in flight do not hold back the next page, because the answer to one may never come. The message would
    /// then stand still until the timeout.
    ///
    /// - Parameter stalled: the destinations whose pools do not ask for work: nothing is handed out for them. Nil if
    ///   there are none.
    func isBusy(stalled: ByDestination<Bool>?) -> Bool {
        unfinishedCount > delayedCount + inFlightCount + readyCount(in: stalled)
    }

    private func readyCount(in destinations: ByDestination<Bool>?) -> Int {
        guard let destinations else { return 0 }
        return PushDestination.allCases.reduce(0) { $0 + (destinations[$1] ? ready[$1].count : 0) }
    }

    /// True if no recipient is in flight or can be handed out.
    var isDoneForNow: Bool { unfinishedCount == delayedCount }

    /// Returns true if none of the tracked recipients can be handed out, so that other recipients of the page can be in
    /// memory instead.
    func canReadOthersFromDisk(stalled: ByDestination<Bool>?) -> Bool {
        isPartial && isClean && unfinishedCount == delayedCount + readyCount(in: stalled)
    }

    /// Leaves the recipients that are out of memory pending on disk: the page is not read again for them.
    mutating func keepOthersOnDisk() { isPartial = false }

    /// The number of rows that are not in a record yet.
    var unwrittenCount: Int { unwrittenRows.count }

    /// True if everything that has happened in the page is on disk.
    var isClean: Bool { unwrittenRows.total == 0 }

    /// True if the page has no work and no writing left.
    var hasEnded: Bool { unfinishedCount == 0 && isClean }

    /// True if the page can be removed from memory until a recipient is due, because everything in it is on disk.
    var canBeSuspended: Bool { unfinishedCount > 0 && unfinishedCount == delayedCount && isClean }

    // MARK: Recipients

    /// Returns the recipient at a position, as last read, and its index in `content.recipients`; nil if it is not in
    /// the page.
    func recipient(at position: UInt16) -> (index: Int, recipient: RecipientPage.Recipient)? {
        states.recipientIndex(of: position).map { ($0, content.recipients[$0]) }
    }

    /// Returns the state of the recipient at a position; `untracked` if it has no entry.
    func state(at position: UInt16) -> RecipientStates.State { states[position] }

    /// Counts an attempt, and returns the number of attempts; 255 if the recipient is not tracked.
    mutating func countAttempt(at position: UInt16) -> UInt8 {
        hasRetries = true
        return states.countAttempt(at: position)
    }

    /// Returns the number of attempts at the recipient; 0 if it is not tracked.
    func attempts(at position: UInt16) -> UInt8 { states.attempts(at: position) ?? 0 }

    /// Counts one more unprocessed push of the recipient, and returns their number.
    mutating func countUnprocessed(at position: UInt16) -> UInt8 {
        hasRetries = true
        let count = unprocessed[position, default: 0]
        let next = count < .max ? count + 1 : count
        unprocessed[position] = next
        return next
    }

    /// Returns true if an attempt at the recipient was made before the one in flight.
    func wasTried(at position: UInt16) -> Bool {
        guard hasRetries else { return false }
        if unprocessed[position] != nil || otherEnvironment[position] != nil { return true }
        return states.attempts(at: position).map { $0 > 0 } ?? false
    }

    /// Returns the destination for which the recipient is tried now.
    func destination(of recipient: RecipientPage.Recipient) -> PushDestination {
        isInOtherEnvironment(recipient) ? recipient.destination.other ?? recipient.destination : recipient.destination
    }

    /// Returns true if the recipient, with that registration, is tried in the other environment.
    func isInOtherEnvironment(_ recipient: RecipientPage.Recipient) -> Bool {
        otherEnvironment[recipient.position] == TokenVersion(recipient)
    }

    /// Sends to the recipient in the other environment from now on.
    mutating func moveToOtherEnvironment(_ recipient: RecipientPage.Recipient) {
        hasRetries = true
        otherEnvironment[recipient.position] = TokenVersion(recipient)
    }

    // MARK: States

    /// Puts a recipient into the queue of a destination, at the front if it was handed out before.
    mutating func makeReady(_ position: UInt16, for destination: PushDestination, atFront: Bool = false) {
        move(position, to: .ready)
        needsQueue.change(destination) { $0 = true }
        ready.change(destination) { atFront ? $0.prepend(position) : $0.append(position) }
    }

    func hasReady(_ destination: PushDestination) -> Bool { !ready[destination].isEmpty }

    /// Removes and returns the next recipient that is ready; the caller gives it another state.
    mutating func takeReady(_ destination: PushDestination) -> UInt16? {
        ready.change(destination) { $0.popFirst() }
    }

    /// Returns true if the page must be put into the queue of a destination; the caller does it.
    mutating func takeNeedsQueue(of destination: PushDestination) -> Bool {
        defer { needsQueue.change(destination) { $0 = false } }
        return needsQueue[destination]
    }

    /// Records that the page is in the queue of `destination`; returns false if it was there already.
    mutating func enterQueue(of destination: PushDestination) -> Bool {
        defer { isQueued.change(destination) { $0 = true } }
        return !isQueued[destination]
    }

    mutating func leaveQueue(of destination: PushDestination) {
        isQueued.change(destination) { $0 = false }
    }

    /// Makes a recipient wait until `due`, in uptime.
    mutating func delay(_ position: UInt16, until due: Uptime) {
        move(position, to: .delayed)
        dueAt[position] = due
        earliestDue = min(earliestDue ?? due, due)
    }

    /// Records that a timer of the page is set for `due`; returns false if one is set that comes no later.
    mutating func setTimer(at due: Uptime) -> Bool {
        if let timerAt, timerAt <= due { return false }
        timerAt = due
        return true
    }

    /// Removes and returns the recipients that are due, ascending; the caller gives them another state. A timer whose
    /// time has come is not set any more.
    mutating func takeDue(at now: Uptime) -> [UInt16] {
        if let at = timerAt, at <= now { timerAt = nil }
        let due = dueAt.filter { $0.value <= now }.keys.sorted()
        for position in due { dueAt[position] = nil }
        earliestDue = dueAt.values.min()
        return due
    }

    /// Removes and returns all recipients that are ready or delayed; the caller gives them another state.
    mutating func takeAllWaiting() -> [UInt16] {
        ready = ByDestination { _ in [] }
        dueAt.removeAll()
        earliestDue = nil
        return states.positions(in: .ready, .delayed)
    }

    /// Returns the recipients that wait for the page to be read again; the caller gives them another state.
    func changedPositions() -> [UInt16] { states.positions(in: .deviceChanged) }

    mutating func move(_ position: UInt16, to new: RecipientStates.State) { states.move(position, to: new) }

    // MARK: Memory

    /// Frees the memory of recipients that have ended, when most have; the page then costs less.
    ///
    /// A page with a few unfinished recipients must not count as one with thousands. Otherwise pages that are nearly
    /// done would fill the bound on recipients in memory, and the fan-out would stop until their last recipients have
    /// ended.
    ///
    /// Outcomes that are not on disk count as well: for a cancelled message, for example, nothing waits for the
    /// provider, and only the disk holds back the next pages.
    mutating func shrink() {
        guard countedRecipients > Self.minimumCounted, needed <= countedRecipients / 4 else { return }
        compact()
    }

    /// The number of recipients and rows that must stay in memory.
    private var needed: Int { unfinishedCount + unwrittenRows.total }

    private mutating func compact() {
        states.removeUntrackedAndEnded()
        for destination in PushDestination.allCases where !hasReady(destination) {
            ready.change(destination) { $0 = [] }
        }
        removeUntracked()
        countedRecipients = min(countedRecipients, max(needed, Self.minimumCounted))
    }

    /// Keeps at most `limit` recipients ready for each destination, if any has more. The others that are ready leave
    /// the memory until these are done. So do recipients that wait for a time or for a stalled pool.
    ///
    /// For example, a message with a pace of 100 a second keeps 200 recipients of a page of 4,096. The others would
    /// wait in memory for up to 40 seconds, and other messages need that memory.
    mutating func keepReady(atMost limit: Int, stalled: ByDestination<Bool>?) {
        let kept = ByDestination { stalled?[$0] == true ? 0 : limit }
        guard PushDestination.allCases.contains(where: { kept[$0] > 0 && ready[$0].count > kept[$0] }) else { return }
        isPartial = true
        for destination in PushDestination.allCases {
            let surplus = max(0, ready[destination].count - kept[destination])
            for position in ready[destination].suffix(surplus) { move(position, to: .untracked) }
            ready.change(destination) { $0.removeLast(surplus) }
            if !hasReady(destination) { needsQueue.change(destination) { $0 = false } }
        }
        for position in states.positions(in: .delayed) { move(position, to: .untracked) }
        dueAt.removeAll()
        earliestDue = nil
        compact()
    }

    /// Takes the page as it was read again.
    mutating func reload(_ page: RecipientPage, sequence: UInt64) {
        content = page
        self.sequence = sequence
        states.findIndices(in: content.recipients)
        removeUntracked()
    }

    /// Removes recipients that are not tracked, if they are three quarters of the page or if some are out of memory.
    private mutating func removeUntracked() {
        guard content.recipients.count > Self.minimumCounted, isPartial || content.recipients.count >= 4 * states.count
        else { return }
        content = content.keeping(states.recipientIndices)
        states.findIndices(in: content.recipients)
    }

    // MARK: Writing

    /// Gives a recipient its outcome.
    ///
    /// - Parameter wasWaiting: true if it ends without an answer of the provider, while it waits for a pool.
    mutating func end(_ recipient: OutcomeRecord.EndedRecipient, wasWaiting: Bool = false) {
        move(recipient.position, to: .ended)
        unwrittenRows.append(recipient, wasWaiting: wasWaiting)
    }

    /// Adds the time of a recipient's next attempt to the next record.
    mutating func append(_ delay: OutcomeRecord.Delay) { unwrittenRows.append(delay) }

    mutating func append(_ attempt: OutcomeRecord.RecordedAttempt) { unwrittenRows.append(attempt) }

    /// Takes the rows of a page that are not written yet, as one record; nil if the page has none.
    mutating func takeRecord(_ key: PageKey, firstPendingPage: UInt32) -> OutcomeRecord? {
        unwrittenRows.takeRecord(key, firstPendingPage: firstPendingPage)
    }

    /// Counts rows of records that are on disk, or never will be.
    mutating func rowsRecorded(_ count: Int) { unwrittenRows.rowsRecorded(count) }

    /// Remembers that a device got a silent push whose outcome is not on disk.
    mutating func addSilentDelivery(_ device: DeviceID, at position: UInt16) {
        silentDeliveries[position] = device
    }

    /// True if devices got silent pushes whose outcomes are not on disk.
    var hasSilentDeliveries: Bool { !silentDeliveries.isEmpty }

    /// Removes and returns the device at a position whose silent push is on disk now; nil if the device got none.
    mutating func takeSilentDelivery(at position: UInt16) -> DeviceID? {
        silentDeliveries.removeValue(forKey: position)
    }
}
