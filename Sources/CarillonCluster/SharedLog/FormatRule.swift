/// The rule that decides which formats of entries may be written, and which applied.
package enum FormatRule {
    /// Returns the newest format that this program and every live node know. Entries are written in it.
    ///
    /// - Parameter present: the format that is written now. A node that has joined and not yet said what it knows (0)
    ///   keeps it from becoming newer.
    package static func writable(_ view: ClusterView, newestKnown: UInt16, present: UInt16) -> UInt16 {
        view.liveNodes.map { $0.progress.newestFormat == 0 ? present : $0.progress.newestFormat }
            .reduce(newestKnown, min)
    }

    /// Returns true if this program can apply an entry. If not, a later version has written it, and the node must stop.
    package static func canApply(_ entry: LogEntry, newestKnown: UInt16) -> Bool { entry.format <= newestKnown }
}
