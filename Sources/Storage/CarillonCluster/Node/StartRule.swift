/// Decides how a server starts, from the state of its data directory and the settings: alone, as a node of a cluster,
/// or not at all.
package enum StartRule {
    /// The decision about a start.
    package enum Decision: Hashable, Sendable {
        /// The server starts alone, with a log of its own.
        case alone
        /// The server starts as a node, with ``ClusterNode``. If the log is new, the server is the first node, and its
        /// data become the initial state.
        case node
        /// The server does not start: an operator must decide. The text is a sentence.
        case refused(String)
    }

    /// Decides how the server starts.
    ///
    /// - Parameters:
    ///   - state: the state of the replica, as the directory says.
    ///   - live: the members that are live in its state.
    ///   - isInCluster: true if the log of a cluster is configured.
    package static func decide(_ state: ReplicaState, among live: LiveMembers, isInCluster: Bool) -> Decision {
        if isInCluster { return .node }
        guard state.log != nil else { return .alone }
        // The node that left last has all entries, and no other node goes on with the log.
        guard let member = live.members.first else { return .alone }
        return .refused(
            "The data directory belongs to a cluster, of which \(member) and \(live.members.count - 1) others were "
                + "nodes at position \(state.applied.position). Start it with --cluster-url. To go on without the "
                + "cluster, let all nodes leave, this one last.")
    }

    /// Returns the state of a replica whose directory has been going on alone after it left a cluster. Its data are in
    /// no log.
    package static func separated(_ state: ReplicaState) -> ReplicaState {
        var separated = ReplicaState()
        separated.hasForeignData = state.hasForeignData || state.applied.position > 0
        return separated
    }
}
