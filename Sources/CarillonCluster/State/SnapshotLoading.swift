import CarillonCore

/// Whether the replica must begin again with a snapshot, and with which.
enum SnapshotLoading: Hashable, Sendable {
    /// The replica goes on with the entries of the log.
    case notNeeded
    /// The replica cannot go on with the entries of the log, and waits for a snapshot.
    case awaited
    case loading(Snapshot)

    /// What a view offers.
    enum Choice: Hashable, Sendable {
        case load(Snapshot)
        /// There are snapshots, and this program knows the format of none. This is the newest.
        case unknownFormat(SnapshotHeader)
    }

    /// True until a snapshot is loaded.
    var isNeeded: Bool { self != .notNeeded }

    /// The snapshot that is being loaded; nil if none is.
    var snapshot: Snapshot? { if case .loading(let snapshot) = self { snapshot } else { nil } }

    /// The replica is given up. What is being loaded goes on.
    mutating func need() { if self == .notNeeded { self = .awaited } }

    /// Of the snapshots beyond what the replica contains, the newest that the program can load; nil if none is to be
    /// loaded, or there are none.
    ///
    /// - Parameters:
    ///   - snapshots: the newest first.
    ///   - newestKnown: the newest format that the program knows.
    func choose(among snapshots: [Snapshot], beyond applied: LogPosition, newestKnown: UInt16) -> Choice? {
        guard self == .awaited else { return nil }
        let usable = snapshots.filter { $0.header.position > applied }
        if let known = usable.first(where: { $0.header.format <= newestKnown }) { return .load(known) }
        return usable.first.map { .unknownFormat($0.header) }
    }

    mutating func begin(_ snapshot: Snapshot) { self = .loading(snapshot) }

    /// Loading has ended: the replica has what the snapshot contains, or still needs one.
    mutating func end(isLoaded: Bool) {
        if isLoaded { self = .notNeeded } else if isNeeded { self = .awaited }
    }
}
