package import CarillonCore

/// The pushes that a connection may pull in one cycle, by lane. After the pull it also says whether one more connection
/// would help.
package struct PullAllowance: Sendable {
    /// The number of streams that may be opened now.
    package let streamRoom: Int
    /// The number of these streams that the quota of the provider permits.
    package let permitted: Int
    package let limits: PullLimits
    /// The lowest number of pushes with which the connection counts as full.
    private let pushesWhenFull: Int

    /// Divides the free streams among the lanes.
    ///
    /// - Parameters:
    ///   - carriesBulk: true if the connection takes bulk pushes.
    ///   - isInteractiveLeft: true if interactive pushes are left to the connection that owns their lane.
    ///   - reservedStreams: streams that only interactive pushes may use.
    package init(
        streamRoom: Int, permitted: Int, carriesBulk: Bool, isInteractiveLeft: Bool, reservedStreams: Int
    ) {
        self.streamRoom = streamRoom
        self.permitted = min(permitted, streamRoom)
        let bulk = carriesBulk ? min(self.permitted, max(0, streamRoom - reservedStreams)) : 0
        limits = PullLimits(self.permitted, interactive: isInteractiveLeft ? 0 : self.permitted, bulk: bulk)
        pushesWhenFull = carriesBulk ? min(self.permitted, max(1, bulk)) : self.permitted
    }

    /// Returns true if another connection would help: there was as much work as may be pulled, and only streams were
    /// short. One more connection would not have more of a quota.
    package func wantsAnotherConnection(pulled: Int) -> Bool { pulled >= pushesWhenFull && permitted == streamRoom }
}
