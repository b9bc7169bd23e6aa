/// The facts about a message besides its audience, content and options. Devices do not get them.
package struct MessageMetadata: Hashable, Sendable {
    /// The name of the principal that sent the message; nil if it is not known.
    package var sender: String?
    /// The label; nil if the message has none.
    package var label: String?

    /// The place of the message in a distributed trace; nil if it is in none.
    package var traceParent: TraceParent?

    package init(sender: String? = nil, label: String? = nil, traceParent: TraceParent? = nil) {
        self.traceParent = traceParent
        self.sender = sender
        self.label = label
    }
}
