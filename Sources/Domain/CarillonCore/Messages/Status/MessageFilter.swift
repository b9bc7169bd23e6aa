/// The conditions for the messages that a listing shows (MESSAGES, Protocol 10.5). A message must meet every condition
/// that is not nil.
package struct MessageFilter: Hashable, Sendable {
    /// The state; nil for any.
    package var state: MessageState?
    /// The principal that sent the message; nil for any.
    package var sender: String?
    /// The beginning of the label, byte for byte; nil for any label, or none.
    package var labelPrefix: String?

    package init(state: MessageState? = nil, sender: String? = nil, labelPrefix: String? = nil) {
        self.state = state
        self.sender = sender
        self.labelPrefix = labelPrefix
    }

    /// True if the filter admits every message.
    package var isEmpty: Bool { state == nil && !readsMetadata }

    /// True if a condition is about the sender or the label.
    package var readsMetadata: Bool { sender != nil || labelPrefix != nil }

    /// Returns true if a message in this state may be admitted.
    package func admits(_ state: MessageState) -> Bool { self.state.map { $0 == state } ?? true }

    /// Returns true if a message with this metadata may be admitted.
    package func admits(_ metadata: MessageMetadata) -> Bool {
        (sender.map { $0.utf8.elementsEqual((metadata.sender ?? "").utf8) } ?? true)
            && (labelPrefix.map { (metadata.label ?? "").utf8.starts(with: $0.utf8) } ?? true)
    }
}
