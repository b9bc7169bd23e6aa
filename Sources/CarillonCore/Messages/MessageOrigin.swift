/// What listings show of the origin of a message: its sender, its label and its trace.
package struct MessageOrigin: Hashable, Sendable {
    /// The name of the principal that sent it; nil if it is not known.
    package var sender: String?
    /// The label; nil if there is none.
    package var label: String?

    /// Where it stands in a distributed trace; nil if it is in none.
    package var traceParent: TraceParent?

    /// Makes an origin.
    package init(sender: String? = nil, label: String? = nil, traceParent: TraceParent? = nil) {
        self.traceParent = traceParent
        self.sender = sender
        self.label = label
    }
}
