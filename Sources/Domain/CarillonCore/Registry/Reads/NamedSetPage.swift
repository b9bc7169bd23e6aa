/// A page of names in the order of their bytes (GROUPS and TOPICS).
package struct NamedSetPage: Hashable, Sendable {
    /// A group or topic.
    package struct Row: Hashable, Sendable {
        package var name: String
        package var devices: UInt64
        /// True if the row is a group that is muted.
        package var isMuted: Bool

        package init(name: String, devices: UInt64, isMuted: Bool = false) {
            self.name = name
            self.devices = devices
            self.isMuted = isMuted
        }
    }

    /// The name after which the next page begins; nil if this is the last page.
    package var next: String?
    /// The rows, ascending by name.
    package var rows: [Row]

    package init(next: String?, rows: [Row]) {
        self.next = next
        self.rows = rows
    }
}
