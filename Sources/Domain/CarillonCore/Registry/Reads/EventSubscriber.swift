/// A named reader of events whose position is stored; the name belongs to a principal.
package struct EventSubscriber: Hashable, Sendable {
    package var principal: String
    /// The name of the subscriber, 1 to 64 bytes.
    package var name: String

    package init(principal: String, name: String) {
        self.principal = principal
        self.name = name
    }
}
