/// Orders the addresses of a host for attempts to connect: those with the fewest connections first, and those that have
/// just failed last.
package struct ResolvedAddresses: Sendable {
    /// The most addresses that are remembered; a host has about eight.
    private static let maximumAddresses = 64

    private struct Entry {
        /// The number of connections that are open or being opened.
        var connections = 0
        /// The number of failed attempts since the last success.
        var failures = 0
    }

    private var entries: [String: Entry] = [:]

    package init() {}

    /// Returns the addresses, which DNS has just named, in the order in which to try them.
    ///
    /// - Parameter random: 0 to 1, chooses among equal ones.
    package func order(_ addresses: [String], random: Double) -> [String] {
        guard !addresses.isEmpty else { return [] }
        let start = min(addresses.count - 1, Int(Double(addresses.count) * min(max(random, 0), 1)))
        let rotated = Array(addresses[start...] + addresses[..<start])
        let ranked = rotated.enumerated().map { index, address in
            let entry = entries[address] ?? Entry()
            return (rank: (entry.failures, entry.connections, index), address: address)
        }
        return ranked.sorted { $0.rank < $1.rank }.map(\.address)
    }

    package mutating func connectBegan(to address: String) {
        if entries[address] == nil && entries.count >= Self.maximumAddresses { forget() }
        entries[address, default: Entry()].connections += 1
    }

    package mutating func connectSucceeded(to address: String) {
        entries[address]?.failures = 0
    }

    package mutating func disconnected(from address: String) {
        guard let entry = entries[address], entry.connections > 0 else { return }
        entries[address]?.connections -= 1
        if entry.connections == 1 && entry.failures == 0 { entries[address] = nil }
    }

    package mutating func connectFailed(at address: String) {
        guard let entry = entries[address], entry.connections > 0 else { return }
        // A few failures are enough to rank by; more would make a long outage of one address count too long.
        entries[address] = Entry(connections: entry.connections - 1, failures: min(entry.failures + 1, 8))
    }

    /// Forgets addresses without connections: DNS names others by now.
    private mutating func forget() {
        entries = entries.filter { $0.value.connections > 0 }
    }
}
