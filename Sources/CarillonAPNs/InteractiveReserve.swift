/// Which of a pool's connections is left to the interactive lane: one, as soon as there are several.
///
/// Where a fan-out goes, a thousand answers come at once and a thousand pushes follow them, and the connection's window is
/// used up for a round trip. A person's push would wait for that on each of the connections; on one without bulk it does not.
package struct InteractiveReserve: Sendable {
    /// The connection that was opened where nothing bulky runs; it is the one that is left to the lane, if it may be.
    private var favoured: Int?
    private var open: Set<Int> = []

    /// Makes the reserve of a pool without connections.
    package init() {}

    /// The connection that takes pushes of the interactive lane only; nothing while there is one for everything.
    package var connection: Int? {
        guard open.count > 1 else { return nil }
        return favoured.flatMap { open.contains($0) ? $0 : nil } ?? open.min()
    }

    /// A connection is on its way; whether it is to be where nothing bulky runs.
    package mutating func opens(_ number: Int) -> Bool {
        guard favoured == nil else { return false }
        favoured = number
        return true
    }

    /// A connection has shown that it works.
    package mutating func opened(_ number: Int) {
        open.insert(number)
    }

    /// A connection takes no new work, or never came to be.
    package mutating func left(_ number: Int) {
        open.remove(number)
        if favoured == number { favoured = nil }
    }
}
