/// Decides which formats of entries a node may write, and which it can apply.
package enum FormatRule {
    /// Returns the newest format that this program and every live node know. Entries are written in it.
    ///
    /// - Parameter current: the format that is written now. No newer one is written as long as a node has joined and
    ///   has not yet said what it knows (0).
    package static func formatToWrite(_ view: ClusterView, newestKnown: UInt16, current: UInt16) -> UInt16 {
        view.liveNodes.map { $0.progress.newestFormat == 0 ? current : $0.progress.newestFormat }
            .reduce(newestKnown, min)
    }

    /// Returns true if this program can apply an entry. If not, a later version has written it, and the node must stop.
    package static func canApply(_ entry: LogEntry, newestKnown: UInt16) -> Bool { entry.format <= newestKnown }
}
