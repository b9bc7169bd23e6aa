import CarillonCore
import Testing

@testable import CarillonSession

/// The pings of a client: one at a time, each unlike the last.
struct ClientPingsTests {
    private var pings = ClientPings(now: 0)

    @Test mutating func `only the answer to the last ping counts`() {
        let payload = pings.begin(at: 100)
        #expect(pings.sentAt == 100)
        let answered = [pings.answered(payload + 1), pings.answered(payload), pings.answered(payload)]
        #expect(answered == [false, true, false])
        #expect(pings.sentAt == nil)
        #expect(pings.lastAt == 100)
        #expect(pings.begin(at: 200) != payload)
    }

    @Test mutating func `the server is silent until bytes come`() {
        #expect(!pings.isServerSilent, "nothing was asked")
        _ = pings.begin(at: 100)
        #expect(pings.isServerSilent)
        pings.bytesReceived(at: 101)
        #expect(!pings.isServerSilent)
    }

    @Test mutating func `the pings of the server are limited`() {
        let taken = (1...101).map { _ in pings.serverPinged(at: 0) }
        #expect(taken.count { $0 } == 100)
    }
}
