/// The knowledge of the log database about a node.
package struct NodeStatus: Hashable, Sendable {
    /// The progress that the node published last.
    package var progress: NodeProgress
    /// The number of renewals of the node's lease in this incarnation, its join included.
    package var renewals: UInt64
    /// The milliseconds since the last renewal, by the log database's clock.
    package var silenceMilliseconds: UInt64
    /// False once the incarnation is over.
    package var isLive: Bool

    /// The node in its incarnation.
    package var member: Member { progress.member }

    package init(progress: NodeProgress, renewals: UInt64, silenceMilliseconds: UInt64, isLive: Bool) {
        self.progress = progress
        self.renewals = renewals
        self.silenceMilliseconds = silenceMilliseconds
        self.isLive = isLive
    }
}
