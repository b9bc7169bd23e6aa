import CarillonProvider
import Testing

/// The order of addresses: connections are spread over them, and avoid those that do not answer.
struct ResolvedAddressesTests {
    private let addresses = ["17.0.0.1", "17.0.0.2", "2620::1"]

    @Test func eachConnectionGoesToTheAddressWithTheFewest() {
        var book = ResolvedAddresses()
        var counts: [String: Int] = [:]
        for number in 0..<12 {
            let chosen = book.order(addresses, random: Double(number % 5) / 5)[0]
            book.connectBegan(to: chosen)
            counts[chosen, default: 0] += 1
        }
        #expect(counts == ["17.0.0.1": 4, "17.0.0.2": 4, "2620::1": 4])
        book.disconnected(from: "17.0.0.2")
        #expect(book.order(addresses, random: 0)[0] == "17.0.0.2")
    }

    @Test func aRandomNumberDecidesAmongEquals() {
        let book = ResolvedAddresses()
        #expect(Set([0.0, 0.4, 0.9].map { book.order(addresses, random: $0)[0] }) == Set(addresses))
        #expect(book.order(addresses, random: 7).sorted() == addresses.sorted())
        #expect(book.order([], random: 0.5).isEmpty)
    }

    @Test func anAddressThatFailedIsTriedLastUntilItWorks() {
        var book = ResolvedAddresses()
        book.connectBegan(to: "17.0.0.1")
        book.connectFailed(at: "17.0.0.1")
        for _ in 0..<3 { book.connectBegan(to: "17.0.0.2") }
        #expect(book.order(addresses, random: 0).last == "17.0.0.1")
        book.connectBegan(to: "17.0.0.1")
        #expect(book.order(addresses, random: 0).last == "17.0.0.1")
        book.connectSucceeded(to: "17.0.0.1")
        #expect(book.order(addresses, random: 0) == ["2620::1", "17.0.0.1", "17.0.0.2"])
    }

    /// Two attempts at a time use different addresses.
    @Test func anAddressThatIsBeingTriedCountsAsOneWithAConnection() {
        var book = ResolvedAddresses()
        book.connectBegan(to: "17.0.0.1")
        #expect(book.order(addresses, random: 0) == ["17.0.0.2", "2620::1", "17.0.0.1"])
    }

    @Test func addressesThatAreNoLongerResolvedAreForgotten() {
        var book = ResolvedAddresses()
        book.connectBegan(to: "kept")
        book.connectSucceeded(to: "kept")
        for number in 0..<1_000 {
            book.connectBegan(to: "\(number)")
            book.connectFailed(at: "\(number)")
        }
        // It still has a connection.
        #expect(book.order(["kept", "new"], random: 0) == ["new", "kept"])
    }
}
