/// A page of the messages of an app (MESSAGES, Protocol 10.5).
package struct MessageSummaryPage: Hashable, Sendable {
    /// The message before which the next page begins; nil if this was the last.
    package var next: MessageID?
    /// The messages, the newest first.
    package var rows: [MessageSummary]

    package init(next: MessageID?, rows: [MessageSummary]) {
        self.next = next
        self.rows = rows
    }
}
