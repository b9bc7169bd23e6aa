/// A page of a message's recipients (Protocol 10.3).
package struct RecipientOutcomePage: Hashable, Sendable {
    /// The cursor of the next page; 0 if this is the last page.
    package var next: UInt64
    /// The recipients, ascending by device id.
    package var recipients: [RecipientOutcome]

    package init(next: UInt64, recipients: [RecipientOutcome]) {
        self.next = next
        self.recipients = recipients
    }
}
