import CarillonCore
import CarillonWire
import Testing

@testable import CarillonSession

/// The requests of a client that wait for their answers: when they expire, and since when there are any.
struct UnansweredRequestsTests {
    private var requests = UnansweredRequests()

    @Test mutating func `an abandoned request stays until it is answered`() {
        let first = requests.add(.lookup, deadline: nil, at: 10)
        let second = requests.add(.lookup, deadline: nil, at: 20)
        requests.abandon(first, limit: 2, at: 30)
        #expect(requests.count == 2)
        #expect(!requests.areAllAbandoned)
        #expect(requests.stuckSince == nil)
        requests.abandon(second, limit: 2, at: 40)
        #expect(requests.areAllAbandoned)
        #expect(requests.stuckSince == 40)
        #expect(requests.remove(first)?.isAbandoned == true)
        #expect(requests.count == 1)
        #expect(requests.stuckSince == nil)
        #expect(requests.removeAll() == [], "the other was abandoned")
    }

    @Test mutating func `requests expire at their deadlines`() {
        let ids = [200, 100, nil].map { requests.add(.lookup, deadline: $0, at: 0) }
        #expect(requests.earliestExpiry == 100)
        #expect(requests.expire(limit: 8, at: 99) == [])
        #expect(requests.expire(limit: 8, at: 100) == [ids[1]])
        #expect(requests.earliestExpiry == 200)
        #expect(requests.removeAll() == [ids[0], ids[2]])
    }

    @Test mutating func `the oldest wait begins with the first request after an empty table`() {
        let first = requests.add(.lookup, deadline: nil, at: 10)
        _ = requests.add(.lookup, deadline: nil, at: 20)
        #expect(requests.waitingSince == 10)
        _ = requests.removeAll()
        let third = requests.add(.lookup, deadline: nil, at: 30)
        #expect(requests.waitingSince == 30)
        #expect(requests.ids(after: first) == [third])
    }
}
