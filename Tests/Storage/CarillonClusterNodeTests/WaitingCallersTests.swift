import Testing

@testable import CarillonClusterNode

struct WaitingCallersTests {
    @Test func `a caller is taken once`() {
        var callers = WaitingCallers<String>()
        let numbers = [callers.nextNumber(), callers.nextNumber(), callers.nextNumber()]
        #expect(Set(numbers).count == 3)
        callers.add("second", as: numbers[1])
        callers.add("first", as: numbers[0])
        callers.add("third", as: numbers[2])
        let taken = [callers.take(numbers[1]), callers.take(numbers[1])]
        #expect(taken == ["second", nil])
        let others = callers.takeAll()
        #expect(others == ["first", "third"])
        let none = callers.takeAll()
        #expect(none.isEmpty)
    }
}
