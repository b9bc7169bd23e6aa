import CarillonCore
import Testing

/// The shares of clients and of long reads in a memory budget.
struct MemoryBudgetTests {
    /// A class, because an expectation cannot call a mutating function.
    private final class Budget {
        private var budget = MemoryBudget(limitBytes: 1_000)

        var usedBytes: Int { budget.usedBytes }

        func take(_ bytes: Int, for use: MemoryBudget.Use, of principal: String) -> Bool {
            budget.take(bytes, for: use, of: principal)
        }

        func giveBack(_ bytes: Int, of use: MemoryBudget.Use, by principal: String) {
            budget.giveBack(bytes, of: use, by: principal)
        }
    }

    private let budget = Budget()

    @Test func `one client gets at most half of the budget`() {
        #expect(budget.take(500, for: .requests, of: "a"))
        #expect(!budget.take(1, for: .requests, of: "a"))
        #expect(budget.take(500, for: .requests, of: "b"))
        #expect(!budget.take(1, for: .requests, of: "c"))
        #expect(budget.usedBytes == 1_000)
    }

    @Test func `the listings of one client get at most a quarter`() {
        #expect(budget.take(250, for: .longReads, of: "a"))
        #expect(!budget.take(1, for: .longReads, of: "a"))
        // Its other requests have the rest of its half.
        #expect(budget.take(250, for: .requests, of: "a"))
        #expect(!budget.take(1, for: .requests, of: "a"))
    }

    @Test func `the listings of all clients get at most half`() {
        #expect(budget.take(250, for: .longReads, of: "a"))
        #expect(budget.take(250, for: .longReads, of: "b"))
        #expect(!budget.take(1, for: .longReads, of: "c"))
        #expect(budget.take(400, for: .requests, of: "c"))
    }

    @Test func `memory that was given back can be taken again`() {
        #expect(budget.take(500, for: .requests, of: "a"))
        budget.giveBack(200, of: .requests, by: "a")
        #expect(budget.usedBytes == 300)
        #expect(budget.take(200, for: .requests, of: "a"))
        budget.giveBack(500, of: .requests, by: "a")
        #expect(budget.usedBytes == 0)
    }

    @Test func `a refused request takes no memory`() {
        #expect(!budget.take(501, for: .requests, of: "a"))
        #expect(!budget.take(.max, for: .longReads, of: "a"))
        #expect(budget.usedBytes == 0)
        #expect(budget.take(500, for: .requests, of: "a"))
    }
}
