/// Reads of a few rows, for event loops: they wait for no other read and no change.
package protocol PointReads: AnyObject, Sendable {
    /// True if a snapshot shows every answered change now. For event loops; other reads block.
    var isSnapshotCurrent: Bool { get }

    /// Answers point reads of one app on one snapshot, in order, without waiting. A read is not answered if the
    /// snapshot may lack a change of its row that was answered before this call. While `isSnapshotCurrent` is false,
    /// only reads of devices are answered, if the device is found and has not changed.
    ///
    /// - Parameters:
    ///   - pointReads: the reads that were received together. Their rows are prefetched together.
    ///   - answered: called with the index of each and its answer: `.success(nil)` if there is no such row, nil if the
    ///     writer is to answer it. If one fails the others do not. Returns true if the next one is to be answered as
    ///     well.
    func pointRead(
        _ pointReads: ArraySlice<PointRead>, of app: AppID,
        _ answered: (Int, Result<PointReadResult?, RegistryError>?) -> Bool
    )

    /// Answers point reads of one app on every answered change, while no snapshot shows them: between two slices of the
    /// changes that are being applied, in the turn of their principal.
    ///
    /// - Parameters:
    ///   - pointReads: at least one.
    ///   - completion: called once, on a thread of the registry or the caller's, with the answers in order. They answer
    ///     the first reads, at least one: the time of a turn is bounded, and so are the bytes of its answers. The
    ///     caller submits the others again. Must not block.
    func submitPointReads(
        _ pointReads: [PointRead], of app: AppID, for principal: String,
        completion: @escaping @Sendable ([Result<PointReadResult?, RegistryError>]) -> Void
    )
}
