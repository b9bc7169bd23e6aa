import CarillonCore

/// A closure that takes the answer of a call.
package typealias LogCompletion<Answer> = @Sendable (Result<Answer, LogError>) -> Void

/// The one sequence of entries that the nodes of a cluster share, as a log database keeps it.
///
/// A node has one object of this type. Calls do not wait: each takes a completion, which is called exactly once, on a
/// thread of the log's own (or of a simulation), and must not wait there. A call that has no answer after
/// `withinMilliseconds` fails with ``LogError/unavailable(_:_:)``; only ``awaitEntries(after:withinMilliseconds:_:)``
/// then returns the head. Calls may come from any thread. Those that append (``join(_:withinMilliseconds:_:)``,
/// ``append(_:withinMilliseconds:_:)``, ``expire(_:silence:withinMilliseconds:_:)``,
/// ``settle(_:withinMilliseconds:_:)``) are carried out in their order; ``AppendRule`` says when the next may come.
package protocol SharedLog: AnyObject, Sendable {
    /// Makes the log if there is none, and begins a new incarnation of a node: appends ``LogEntry/Content/joined`` with
    /// sequence 1. The node's earlier incarnation is over with that entry.
    ///
    /// A join with an unknown end is simply made again: the log database carries out the joins of a node in their order
    /// or not at all. Otherwise a join that arrives late would end the incarnation of the next join, which may be
    /// sending pushes already.
    func join(
        _ node: JoiningNode, withinMilliseconds milliseconds: UInt64, _ completion: @escaping LogCompletion<JoinedNode>)

    /// Appends an entry, durably, and returns its position, which is one more than that of the entry before.
    ///
    /// The log database decides in the same transaction that the member is not over (``LogError/fenced``), and that the
    /// sequence is greater than all that the member has appended or settled. An entry `left` ends its member.
    func append(
        _ entry: LogEntry, withinMilliseconds milliseconds: UInt64, _ completion: @escaping LogCompletion<LogPosition>)

    /// Appends an entry that says ``LogEntry/Content/expired(_:)``, and so ends that member if it was silent.
    ///
    /// - Parameter silence: nil to end the member whether it is silent or not: an operator has removed it.
    func expire(
        _ entry: LogEntry, silence: RequiredSilence?, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<LogPosition>)

    /// Finds out whether an entry whose append had an unknown end is in the log, and closes its sequence. If the entry
    /// is not in the log now, it never will be, whatever is still on its way. The result is durable, and also holds for
    /// a member that is over.
    func settle(
        _ id: LogEntry.ID, withinMilliseconds milliseconds: UInt64, _ completion: @escaping LogCompletion<Settlement>)

    /// Reads the entries that follow a position, in order and without a gap: at least one if there is one, and no more
    /// than the limit.
    ///
    /// Fails with ``LogError/trimmed(through:)`` if the log no longer has the next entry.
    func read(
        after position: LogPosition, limit: ReadLimit, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<LogPage>)

    /// Waits until the log has an entry after a position, and returns its head; after `milliseconds`, it returns the
    /// present head. Entries may come with the head, as many as one read returns, to save a second call. There may be
    /// none, and some may be this node's own. One call waits at a time; a second one ends the first.
    func awaitEntries(
        after position: LogPosition, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<LogPage>)

    /// Renews the lease of a member, publishes its progress, and returns the view of all nodes.
    func renew(
        _ progress: NodeProgress, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<ClusterView>)

    /// Returns the view of all nodes. The caller need not be a node.
    func view(withinMilliseconds milliseconds: UInt64, _ completion: @escaping LogCompletion<ClusterView>)

    /// Begins a snapshot. Removes an incomplete snapshot of a member that is over.
    func beginSnapshot(
        _ snapshot: SnapshotHeader, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<SnapshotID>)

    /// Stores a chunk of a snapshot. Numbers count from 0, and a chunk that is stored again replaces the first one.
    ///
    /// - Parameter bytes: 1 to ``SnapshotHeader/maximumChunkBytes`` bytes.
    func putSnapshotChunk(
        _ bytes: [UInt8], number: UInt32, of snapshot: SnapshotID, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<Void>)

    /// Completes a snapshot whose chunks 0 up to and without `count` are stored. A node can begin with it from now on.
    func completeSnapshot(
        _ snapshot: SnapshotID, chunks count: UInt32, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<Void>)

    /// Reads a chunk of a complete snapshot.
    func snapshotChunk(
        _ number: UInt32, of snapshot: SnapshotID, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<[UInt8]>)

    /// Removes entries up to a position, and complete snapshots before `snapshots`, in pieces.
    ///
    /// The log database refuses a position beyond the newest complete snapshot.
    func trim(
        through position: LogPosition, snapshotsBefore snapshots: LogPosition, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<Void>)

    /// Ends all connections and threads. Calls without an answer fail.
    func close()
}
