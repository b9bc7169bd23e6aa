/// What is known about a message besides its audience, content and options: nothing is delivered by it.
package struct MessageMetadata: Hashable, Sendable {
    /// The name of the principal that sent it; nil if it is not known.
    package var sender: String?
    /// The label; nil if there is none.
    package var label: String?

    /// Where it stands in a distributed trace; nil if it is in none.
    package var traceParent: TraceParent?

    /// Makes the metadata of a message; by default nothing is known.
    package init(sender: String? = nil, label: String? = nil, traceParent: TraceParent? = nil) {
        self.traceParent = traceParent
        self.sender = sender
        self.label = label
    }
}
