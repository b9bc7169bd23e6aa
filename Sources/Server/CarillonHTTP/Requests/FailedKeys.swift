import CarillonCore

/// Limits the wrong keys that one client address may try, and those that all addresses together may try. A good key
/// costs nothing.
///
/// Guessing is hopeless against keys of 32 random bytes. With the limits, many guesses cost the server little work and
/// the log few lines.
struct FailedKeys: Sendable {
    /// The rate of wrong keys: at most `burst` at once, and then one more every `intervalMilliseconds`.
    struct Rate: Hashable, Sendable {
        var burst: UInt64
        var intervalMilliseconds: UInt64

        /// Returns the milliseconds until one more is allowed, if the failures so far count until `end`.
        func waitMilliseconds(until end: Uptime, at now: Uptime) -> UInt64 {
            let left = end > now ? end.milliseconds(since: now) : 0
            let allowed = (burst - 1) * intervalMilliseconds
            return left > allowed ? left - allowed : 0
        }

        /// Returns the time until which the failures so far count, with one more.
        func adding(to end: Uptime, at now: Uptime) -> Uptime { max(end, now) + intervalMilliseconds }
    }

    /// The failures that one address may have.
    static let perAddress = Rate(burst: 5, intervalMilliseconds: 6_000)
    /// The failures that all addresses together may have.
    static let ofAllAddresses = Rate(burst: 100, intervalMilliseconds: 100)
    /// The most addresses that are remembered; beyond it the one whose failures are over first is forgotten.
    static let maximumAddresses = 4_096

    /// The time until which the failures of all addresses count.
    private var endOfAll = Uptime(milliseconds: 0)
    /// The time until which the failures of each address count.
    private var endByAddress: [String: Uptime] = [:]

    /// The number of addresses that are remembered.
    var count: Int { endByAddress.count }

    /// Returns the milliseconds that an address must wait before it tries a key; 0 if it may now.
    func waitMilliseconds(of address: String, at now: Uptime) -> UInt64 {
        let own =
            endByAddress[Self.network(of: address)].map { Self.perAddress.waitMilliseconds(until: $0, at: now) } ?? 0
        return max(own, Self.ofAllAddresses.waitMilliseconds(until: endOfAll, at: now))
    }

    /// Counts a wrong key that an address has tried.
    mutating func keyRefused(from address: String, at now: Uptime) {
        let address = Self.network(of: address)
        if endByAddress[address] == nil, endByAddress.count >= Self.maximumAddresses,
            let first = endByAddress.min(by: { $0.value < $1.value })
        {
            endByAddress[first.key] = nil
        }
        endByAddress[address] = Self.perAddress.adding(to: endByAddress[address] ?? now, at: now)
        endOfAll = Self.ofAllAddresses.adding(to: endOfAll, at: now)
    }

    /// Returns the network of an address: one host usually has a whole network of 64 bits of IPv6, the first four
    /// groups of its address. An IPv4 address counts alone, also when it is written as an IPv6 address.
    private static func network(of address: String) -> String {
        guard address.contains(":"), !address.contains(".") else { return address }
        let parts = address.split(separator: ":", omittingEmptySubsequences: false)
        // `::` stands for as many groups of zeros as the address lacks (RFC 5952, section 2.2).
        guard let gap = parts.firstIndex(where: \.isEmpty) else { return parts.prefix(4).joined(separator: ":") }
        let last = parts[gap...].filter { !$0.isEmpty }
        let zeros = repeatElement(Substring("0"), count: max(0, 8 - gap - last.count))
        return (parts[..<gap] + zeros + last).prefix(4).joined(separator: ":")
    }
}
