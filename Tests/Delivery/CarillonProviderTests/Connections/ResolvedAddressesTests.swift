import CarillonProvider
import Testing

/// The order of addresses: connections are spread over them, and avoid those that do not answer.
struct ResolvedAddressesTests {
    private let addresses = ["17.0.0.1", "17.0.0.2", "2620::1"]

    @Test func `each connection goes to the address with the fewest`() {
        var resolved = ResolvedAddresses()
        var counts: [String: Int] = [:]
        for number in 0..<12 {
            let chosen = resolved.order(addresses, random: Double(number % 5) / 5)[0]
            resolved.connectBegan(to: chosen)
            counts[chosen, default: 0] += 1
        }
        #expect(counts == ["17.0.0.1": 4, "17.0.0.2": 4, "2620::1": 4])
        resolved.disconnected(from: "17.0.0.2")
        #expect(resolved.order(addresses, random: 0)[0] == "17.0.0.2")
    }

    @Test func `a random number decides among equals`() {
        let resolved = ResolvedAddresses()
        #expect(Set([0.0, 0.4, 0.9].map { resolved.order(addresses, random: $0)[0] }) == Set(addresses))
        #expect(resolved.order(addresses, random: 7).sorted() == addresses.sorted())
        #expect(resolved.order([], random: 0.5).isEmpty)
    }

    @Test func `an address that failed is tried last until it works`() {
        var resolved = ResolvedAddresses()
        resolved.connectBegan(to: "17.0.0.1")
        resolved.connectFailed(at: "17.0.0.1")
        for _ in 0..<3 { resolved.connectBegan(to: "17.0.0.2") }
        #expect(resolved.order(addresses, random: 0).last == "17.0.0.1")
        resolved.connectBegan(to: "17.0.0.1")
        #expect(resolved.order(addresses, random: 0).last == "17.0.0.1")
        resolved.connectSucceeded(to: "17.0.0.1")
        #expect(resolved.order(addresses, random: 0) == ["2620::1", "17.0.0.1", "17.0.0.2"])
    }

    /// Two attempts at a time use different addresses.
    @Test func `an address that is being tried counts as one with a connection`() {
        var resolved = ResolvedAddresses()
        resolved.connectBegan(to: "17.0.0.1")
        #expect(resolved.order(addresses, random: 0) == ["17.0.0.2", "2620::1", "17.0.0.1"])
    }

    @Test func `addresses that are no longer resolved are forgotten`() {
        var resolved = ResolvedAddresses()
        resolved.connectBegan(to: "kept")
        resolved.connectSucceeded(to: "kept")
        for number in 0..<1_000 {
            resolved.connectBegan(to: "\(number)")
            resolved.connectFailed(at: "\(number)")
        }
        // It still has a connection.
        #expect(resolved.order(["kept", "new"], random: 0) == ["new", "kept"])
    }
}
