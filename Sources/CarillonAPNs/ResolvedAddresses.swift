/// Which of a host's addresses the next connection is made to: those that bear the fewest connections first, those that have
/// just failed last.
package struct ResolvedAddresses: Sendable {
    /// Addresses remembered; a host has about eight.
    private static let limit = 64

    private struct Entry {
        /// Connections that stand or are on their way.
        var connections = 0
        /// Attempts that have failed since the last that did not.
        var failures = 0
    }

    private var entries: [String: Entry] = [:]

    /// Makes an empty book.
    package init() {}

    /// The addresses that DNS has just named, in the order in which to try them.
    ///
    /// - Parameter random: 0 to 1, chooses among equals.
    package func order(_ addresses: [String], random: Double) -> [String] {
        guard !addresses.isEmpty else { return [] }
        let start = min(addresses.count - 1, Int(Double(addresses.count) * min(max(random, 0), 1)))
        let turned = Array(addresses[start...] + addresses[..<start])
        let ranked = turned.enumerated().map { place, address in
            let entry = entries[address] ?? Entry()
            return (rank: (entry.failures, entry.connections, place), address: address)
        }
        return ranked.sorted { $0.rank < $1.rank }.map(\.address)
    }

    /// An attempt to connect to the address begins.
    package mutating func began(to address: String) {
        if entries[address] == nil && entries.count >= Self.limit { forget() }
        entries[address, default: Entry()].connections += 1
    }

    /// The attempt has succeeded.
    package mutating func connected(to address: String) {
        entries[address]?.failures = 0
    }

    /// A connection to the address is over.
    package mutating func disconnected(from address: String) {
        guard let entry = entries[address], entry.connections > 0 else { return }
        entries[address]?.connections -= 1
        if entry.connections == 1 && entry.failures == 0 { entries[address] = nil }
    }

    /// The attempt has failed.
    package mutating func failed(at address: String) {
        guard let entry = entries[address], entry.connections > 0 else { return }
        // Enough to rank by; more would make a long outage of one address count for ever.
        entries[address] = Entry(connections: entry.connections - 1, failures: min(entry.failures + 1, 8))
    }

    /// Lets go of addresses that bear nothing: DNS names others by now.
    private mutating func forget() {
        entries = entries.filter { $0.value.connections > 0 }
    }
}
