import CarillonCore
import CarillonWire
import Testing

@testable import CarillonSession

/// The requests that were read, and the subscriptions that they have made.
struct RequestTrackerTests {
    private var requests = RequestTracker()

    private mutating func receive(_ id: UInt64, _ opcode: Opcode, bytes: UInt32) {
        requests.requestReceived(id)
        requests.add(FrameHeader(length: bytes, kind: .request, opcode: opcode, id: id))
    }

    @Test mutating func `requests are counted until they are answered`() {
        receive(1, .lookup, bytes: 10)
        receive(3, .send, bytes: 20)
        requests.requestReceived(5)
        #expect(requests.count == 2)
        #expect(requests.bytes == 30)
        #expect(requests.total == 2)
        #expect(requests.lastID == 5)
        #expect(requests.remove(1)?.opcode == .lookup)
        #expect(requests.remove(1) == nil)
        #expect(requests.count == 1)
        #expect(requests.bytes == 20)
        #expect(requests.total == 2)
    }

    @Test mutating func `a request that fails makes no subscription`() {
        for id in [1, 3] as [UInt64] {
            requests.subscriptions.begin(id, credit: 8)
            receive(id, .subscribeEvents, bytes: 10)
        }
        #expect(requests.removeFailed(1) != nil)
        #expect(requests.removeFailed(7) == nil)
        #expect([1, 3].map(requests.subscriptions.contains) == [false, true])
    }
}
