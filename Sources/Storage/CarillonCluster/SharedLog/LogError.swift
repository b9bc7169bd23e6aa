/// The reason why a call of a shared log has no answer.
package enum LogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The effect that a failed call had on the log.
    package enum Effect: Hashable, Sendable {
        /// The call certainly did not change the log, and never will.
        case none
        /// The call may have had its effect, or may still have it. An append is looked up
        /// (``SharedLog/settle(_:withinMilliseconds:_:)``) before the next append.
        case unknown
    }

    /// The log database is away, slow or busy: the same call may succeed later.
    case unavailable(Effect, String)
    /// The log database or a setting refuses the call. It will not succeed before an operator has acted, and it had no
    /// effect.
    case refused(String)
    /// The incarnation is over: the node was expired, removed, or has joined again. The call had no effect.
    case fenced
    /// The member to be expired was not silent for long enough. The call had no effect.
    case leaseRenewed
    /// The name belongs to another data directory, whose lease has not ended. The call had no effect.
    case nameInUse(String)
    /// The log was trimmed up to this position, and entries that were asked for are gone. A snapshot has them.
    case trimmed(through: LogPosition)
    /// The snapshot does not exist, or another one was completed first.
    case noSnapshot
    case snapshotUnderWay(by: Member)
    /// The log database has a row that no node writes; the text says which.
    case corrupted(String)

    package var effect: Effect {
        if case .unavailable(let effect, _) = self { effect } else { .none }
    }

    /// True if the log database was away, slow or busy: the caller should make the same call again.
    package var isTransient: Bool {
        if case .unavailable = self { true } else { false }
    }

    /// The reason, written to follow a colon: no capital at the beginning and no full stop.
    package var description: String {
        switch self {
        case .unavailable(.none, let reason): "unavailable, without effect: \(reason)"
        case .unavailable(.unknown, let reason): "unavailable, with an unknown effect: \(reason)"
        case .refused(let reason): "refused: \(reason)"
        case .fenced: "refused: this incarnation of the node is over"
        case .leaseRenewed: "refused: the node has renewed its lease"
        case .nameInUse(let reason): "refused: the name of the node is in use: \(reason)"
        case .trimmed(let position): "entries up to \(position) are not kept any more"
        case .noSnapshot: "there is no such snapshot"
        case .snapshotUnderWay(let member): "\(member) is making a snapshot"
        case .corrupted(let reason): "the log is corrupt: \(reason)"
        }
    }
}
