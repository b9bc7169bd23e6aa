/// The states that a node reports, and the reasons why it stops.
extension ClusterNode {
    /// The reason why the process ends.
    package enum StopReason: Hashable, Sendable, CustomStringConvertible {
        /// The replica differs from the replicas of these members. It can be made anew from a snapshot.
        case differs([Member])
        /// An entry has a format that this program does not know.
        case unknownFormat(UInt16, at: LogPosition)
        /// The data directory belongs to another log.
        case otherLog
        /// The data directory has data that are not in the log.
        case foreignData
        /// The log ends before the replica's position: the log database was restored from a backup, or lost commits.
        case logIsOlder(LogPosition)
        /// The log database has something that is no log: the text says which row.
        case corrupted(String)
        case left

        /// The reason as a sentence.
        package var description: String {
            switch self {
            case .differs(let members):
                "This replica differs from those of \(members.map(\.description).joined(separator: ", ")). "
                    + "Remove the data directory, so that the node begins with a snapshot."
            case .unknownFormat(let format, let position):
                "The entry at position \(position) has format \(format): a later version has written it."
            case .otherLog: "The data directory belongs to another cluster."
            case .foreignData:
                "The data directory has data of a server without a cluster, and the cluster has data already. "
                    + "Start the node with an empty data directory."
            case .logIsOlder(let position):
                "The log ends before position \(position), which this replica contains: the database of the log has "
                    + "lost entries."
            case .corrupted(let reason): "The log is corrupt: \(reason)."
            case .left: "The node has left the cluster."
            }
        }
    }

    /// The state of a node that `/readyz` reports.
    package enum Readiness: Hashable, Sendable, CustomStringConvertible {
        case ready
        /// The node has not joined, or must join again. The error is that of the last attempt; nil if no attempt has
        /// failed.
        case joining(LogError?)
        /// The node waits for a snapshot that another node must make, or loads one.
        case loading
        /// The replica must apply this number of entries of the log first.
        case catchingUp(UInt64)
        /// The replica may be older than the bound allows: the log database does not answer, or applying takes too
        /// long.
        case behind
        case withoutLease
        case leaving
        case stopped(StopReason)

        /// The state as a sentence.
        package var description: String {
            switch self {
            case .ready: "The node is ready."
            case .joining(nil): "The node joins the cluster."
            case .joining(let failure?): "The node cannot join the cluster: \(failure)."
            case .loading: "The node begins with a snapshot."
            case .catchingUp(let count): "The node has \(count) entries of the log to apply."
            case .behind: "The node may be behind the others."
            case .withoutLease: "The node has no lease."
            case .leaving: "The node leaves the cluster."
            case .stopped(let reason): reason.description
            }
        }
    }
}
