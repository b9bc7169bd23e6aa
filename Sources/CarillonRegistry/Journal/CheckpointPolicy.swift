/// Decides when changes are committed to the database, and when the journal is enough for now.
///
/// A commit writes every page that was changed, mostly one a change somewhere in a tree; a record of the journal is written in one
/// piece. So while a flood of changes comes, and nothing else, a commit waits for many of them, which share pages. Whoever
/// reads has to wait for that commit: with anybody there who reads, or does anything but what floods are made of, each batch is
/// committed at once, and they wait for nobody.
struct CheckpointPolicy {
    private let limits: LMDBRegistry.JournalLimits
    /// Until when every batch is committed.
    private var plainUntil: UInt64 = 0
    /// Of the changes that wait for their commit: how many, and since when.
    private var open: (changes: Int, since: UInt64)?
    /// When the journal was used last; nil if it was not since the last flood.
    private var lastJournaled: UInt64?

    init(limits: LMDBRegistry.JournalLimits) {
        self.limits = limits
    }

    /// Somebody reads, or a batch does what the journal has no form for; who comes in a flood has to wait for its commit, and is
    /// not made to wait again soon.
    ///
    /// - Parameter now: milliseconds of uptime, as everywhere here.
    mutating func disturbed(at now: UInt64) {
        let (end, overflows) = now.addingReportingOverflow(
            open == nil ? limits.quietMilliseconds : limits.spareMilliseconds)
        plainUntil = max(plainUntil, overflows ? .max : end)
    }

    /// Whether the journal is enough for a batch of so many changes, which it has a form for; else it is committed, with all that
    /// waits.
    ///
    /// - Parameters:
    ///   - bytes: of the journal that wait already.
    ///   - pages: that were changed and are in memory already, about.
    func admits(changes: Int, bytes: Int, pages: Int, at now: UInt64) -> Bool {
        guard now >= plainUntil, bytes <= limits.mostBytes, pages <= limits.mostPages else { return false }
        guard let open else { return changes >= limits.leastChanges && changes <= limits.mostChanges }
        return changes <= limits.mostChanges - open.changes && now >= open.since
            && now - open.since < limits.longestMilliseconds
    }

    /// So many changes are in the journal and wait for their commit.
    mutating func journaled(changes: Int, at now: UInt64) {
        open = ((open?.changes ?? 0) + changes, open?.since ?? now)
        lastJournaled = now
    }

    /// Everything is committed.
    mutating func checkpointed() {
        open = nil
    }

    /// Whether a flood has been over for long, so that what is kept for the next one is let go of; once for each flood.
    mutating func hasRested(at now: UInt64) -> Bool {
        guard let last = lastJournaled, open == nil, now >= last, now - last >= limits.restMilliseconds else {
            return false
        }
        lastJournaled = nil
        return true
    }

    /// Milliseconds to wait for another batch before what waits is committed; nil if nothing waits.
    var patience: UInt64? { open == nil ? nil : limits.patienceMilliseconds }
}
