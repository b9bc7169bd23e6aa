import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

@testable import CarillonSession

/// The list of outstanding requests, which are answered in any order and then forgotten.
struct OutstandingRequestsTests {
    @Test(arguments: [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 1, 2, 5, 4], [2, 4, 5, 1, 3]])
    func `each request is removed once`(order: [UInt64]) {
        var requests = OutstandingRequests()
        for id in 1...5 as ClosedRange<UInt64> { requests.add(id * 2, opcode: .lookup, bytes: Int(id)) }
        #expect(requests.count == 5)
        #expect(requests.bytes == 15)
        for id in order {
            #expect(requests.remove(id * 2 + 1) == nil)
            #expect(requests.remove(id * 2)?.bytes == Int(id))
            #expect(requests.remove(id * 2) == nil)
        }
        #expect(requests.isEmpty)
        #expect(requests.bytes == 0)
        #expect(requests.remove(2) == nil)
    }

    @Test func `answers in random order agree with a set`() {
        var requests = OutstandingRequests()
        var expected: Set<UInt64> = []
        var random = SeededGenerator(seed: TestSeeds.one())
        for id in 1...20_000 as ClosedRange<UInt64> {
            requests.add(id, opcode: .lookup, bytes: 1)
            expected.insert(id)
            // The oldest, the newest, and some in between.
            let candidates = [expected.min(), expected.max(), expected.sorted().randomElement(using: &random)]
            for answered in candidates.compactMap({ $0 }) where Bool.random(using: &random) || expected.count > 50 {
                let wasOutstanding = requests.remove(answered) != nil
                #expect(wasOutstanding == (expected.remove(answered) != nil))
            }
            #expect(requests.count == expected.count)
            #expect(requests.bytes == expected.count)
        }
        for id in expected.sorted() { #expect(requests.remove(id)?.id == id) }
        #expect(requests.isEmpty)
    }
}
