import CarillonCore
import Testing

/// The order in which work of several principals begins.
struct RoundRobinQueueTests {
    /// Begins pieces until none can begin, and ends each at once.
    private func drain(_ queue: inout RoundRobinQueue<Int>) -> [Int] {
        var begun: [Int] = []
        while let (element, principal) = queue.begin() {
            begun.append(element)
            queue.pieceEnded(of: principal)
        }
        return begun
    }

    @Test func `principals with waiting work take turns`() {
        var queue = RoundRobinQueue<Int>(maximumRunning: 1)
        for number in 1...4 { queue.append(number, of: "many") }
        queue.append(10, of: "one")
        queue.append(20, of: "two")
        queue.append(21, of: "two")
        #expect(queue.count == 7)
        #expect(drain(&queue) == [1, 10, 20, 2, 21, 3, 4])
        #expect(queue.count == 0)
    }

    @Test func `a principal whose work is under way is passed over`() {
        var queue = RoundRobinQueue<Int>(maximumRunning: 1)
        queue.append(1, of: "long")
        queue.append(2, of: "long")
        queue.append(3, of: "short")
        #expect(queue.begin()?.element == 1)
        #expect(queue.begin()?.element == 3)
        #expect(queue.begin() == nil)
        queue.pieceEnded(of: "long")
        #expect(queue.begin()?.element == 2)
    }

    @Test func `a principal may have as many pieces under way as the limit allows`() {
        var queue = RoundRobinQueue<Int>(maximumRunning: 2)
        for number in 1...3 { queue.append(number, of: "a") }
        #expect([queue.begin()?.element, queue.begin()?.element, queue.begin()?.element] == [1, 2, nil])
    }

    @Test func `a principal waits while it has pieces`() {
        var queue = RoundRobinQueue<Int>(maximumRunning: 1)
        #expect(!queue.isWaiting("a"))
        queue.append(1, of: "a")
        #expect(queue.isWaiting("a"))
        _ = queue.begin()
        #expect(!queue.isWaiting("a"))
    }

    @Test func `all waiting pieces are removed in the order of their principals`() {
        var queue = RoundRobinQueue<Int>(maximumRunning: 1)
        queue.append(1, of: "a")
        queue.append(5, of: "b")
        queue.append(2, of: "a")
        #expect(queue.removeAll() == [1, 2, 5])
        #expect(queue.begin() == nil)
        #expect(queue.count == 0)
    }

    @Test func `pieces that came later stay behind those that waited`() {
        var queue = RoundRobinQueue<Int>(maximumRunning: 9)
        for number in 1...3 { queue.append(number, of: "a") }
        #expect(queue.begin()?.element == 1)
        queue.append(4, of: "a")
        #expect(queue.begin()?.element == 2)
        #expect(queue.removeAll() == [3, 4])
    }
}
