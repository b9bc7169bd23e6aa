/// Chooses the connection of a group that only the interactive lane may use: one, as soon as several are open.
///
/// The answers of a fan-out come a thousand at a time, a thousand pushes follow them, and the connection's window is
/// used up for a round trip. An interactive push would wait for that on every connection; on one without bulk it does
/// not wait.
package struct ReservedConnection: Sendable {
    /// The connection that was opened on the interactive event loop; it is the reserved one while it is open.
    private var preferred: Int?
    private var open: Set<Int> = []

    package init() {}

    /// The number of the reserved connection; nil while fewer than two connections are open.
    package var number: Int? {
        guard open.count > 1 else { return nil }
        return preferred.flatMap { open.contains($0) ? $0 : nil } ?? open.min()
    }

    /// Called when a connection begins to open. Returns true if it belongs on the interactive event loop.
    package mutating func connectionBegan(_ number: Int) -> Bool {
        guard preferred == nil else { return false }
        preferred = number
        return true
    }

    /// Called when a connection has shown that it works.
    package mutating func connectionOpened(_ number: Int) {
        open.insert(number)
    }

    /// Called when a connection takes no new work, or could not be opened.
    package mutating func connectionRetired(_ number: Int) {
        open.remove(number)
        if preferred == number { preferred = nil }
    }
}
