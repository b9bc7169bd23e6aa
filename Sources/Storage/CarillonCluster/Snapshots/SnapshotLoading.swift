import CarillonCore

/// The state of a replica that may have to begin again with a snapshot.
enum SnapshotLoading: Hashable, Sendable {
    /// The replica goes on with the entries of the log.
    case notNeeded
    /// The replica cannot go on with the entries of the log, and waits for a snapshot.
    case awaited
    case loading(Snapshot)

    /// The snapshot to load, of those in a view.
    enum Choice: Hashable, Sendable {
        case load(Snapshot)
        /// The program does not know the format of any snapshot that it could use. This is the newest of them.
        case unknownFormat(SnapshotHeader)
    }

    /// True from the need of a snapshot until one is loaded.
    var isNeeded: Bool { self != .notNeeded }

    /// The snapshot that is being loaded; nil if there is none.
    var snapshot: Snapshot? { if case .loading(let snapshot) = self { snapshot } else { nil } }

    /// Gives up the replica, which then waits for a snapshot. A snapshot that is being loaded goes on.
    mutating func awaitSnapshot() { if self == .notNeeded { self = .awaited } }

    /// Chooses the newest snapshot that the program can load and that is beyond the replica; nil if no snapshot is
    /// awaited, or none is beyond the replica.
    ///
    /// - Parameters:
    ///   - snapshots: the snapshots of a view, the newest first.
    ///   - newestKnown: the newest format that the program knows.
    func choose(among snapshots: [Snapshot], beyond applied: LogPosition, newestKnown: UInt16) -> Choice? {
        guard self == .awaited else { return nil }
        let usable = snapshots.filter { $0.header.position > applied }
        if let known = usable.first(where: { $0.header.format <= newestKnown }) { return .load(known) }
        return usable.first.map { .unknownFormat($0.header) }
    }

    mutating func begin(_ snapshot: Snapshot) { self = .loading(snapshot) }

    /// Ends the loading. The replica has the contents of the snapshot, or still needs one.
    mutating func end(isLoaded: Bool) {
        if isLoaded { self = .notNeeded } else if isNeeded { self = .awaited }
    }
}
