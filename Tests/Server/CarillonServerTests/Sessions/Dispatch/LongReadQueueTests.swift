import CarillonCore
import CarillonSession
import CarillonWire
import Testing

@testable import CarillonServer

/// The queue of the long reads of one connection: they run one at a time, in order, and their memory is counted until
/// they are answered.
struct LongReadQueueTests {
    private func entry(_ id: UInt64, bytes: Int = 100, of principal: String = "before") -> LongReadQueue.Entry {
        let context = RequestContext(
            RequestHead(id: id, opcode: .statistics), of: Principal(name: principal, grants: []),
            at: Moment(wall: .zero, uptime: 0))
        return LongReadQueue.Entry(
            longRead: .statistics(StatisticsRequest(limit: 1)), context: context, bytes: bytes)
    }

    @Test func `the next long read begins when the one before is answered`() {
        var queue = LongReadQueue()
        #expect(!queue.canBegin)
        queue.append(entry(3))
        queue.append(entry(5))
        #expect(queue.begin(pageBytes: 10)?.context.id == 3)
        #expect(!queue.canBegin)
        #expect(queue.begin(pageBytes: 10) == nil)
        queue.requestAnswered(4)
        #expect(!queue.canBegin, "4 was another request")
        queue.requestAnswered(3)
        #expect(queue.begin(pageBytes: 10)?.context.id == 5)
        queue.requestAnswered(5)
        #expect(!queue.canBegin)
    }

    @Test func `memory is held from the request to its answer`() {
        var queue = LongReadQueue()
        queue.append(entry(3, bytes: 100))
        queue.append(entry(5, bytes: 30))
        #expect(queue.requestBytes == 130)
        #expect(queue.bytes == 130)
        _ = queue.begin(pageBytes: 1_000)
        #expect(queue.requestBytes == 130)
        #expect(queue.bytes == 1_130)
        queue.requestAnswered(3)
        #expect(queue.requestBytes == 30)
        #expect(queue.bytes == 30)
    }

    @Test func `waiting reads are removed and the running read stays`() {
        var queue = LongReadQueue()
        for id in [3, 5, 7] as [UInt64] { queue.append(entry(id)) }
        _ = queue.begin(pageBytes: 0)
        #expect(queue.removeWaiting() == [5, 7])
        #expect(queue.bytes == 100)
        queue.requestAnswered(3)
        #expect(queue.bytes == 0)
    }

    @Test func `waiting reads get the new principal of the connection`() {
        var queue = LongReadQueue()
        queue.append(entry(3))
        queue.principalChanged(to: Principal(name: "after", grants: []))
        #expect(queue.begin(pageBytes: 0)?.context.principal.name == "after")
    }
}
