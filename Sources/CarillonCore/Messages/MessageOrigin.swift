/// What listings show of the origin of a message: its sender and its label.
package struct MessageOrigin: Hashable, Sendable {
    /// The name of the principal that sent it; nil if it is not known.
    package var sender: String?
    /// The label; nil if there is none.
    package var label: String?

    /// Makes an origin.
    package init(sender: String? = nil, label: String? = nil) {
        self.sender = sender
        self.label = label
    }
}
