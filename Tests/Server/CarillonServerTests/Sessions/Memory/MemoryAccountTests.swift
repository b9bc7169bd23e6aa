import CarillonCore
import Testing

@testable import CarillonServer

/// The memory that one connection takes of the memory of all connections, and gives back.
struct MemoryAccountTests {
    private let free = MemoryAccount.freeBytes
    private let memory = SharedMemoryBudget(limitBytes: 1 << 20)

    /// The account of one connection.
    private final class Account {
        private var account: MemoryAccount

        init(_ memory: SharedMemoryBudget) { account = MemoryAccount(memory) }

        var holdsAny: Bool { account.holdsAny }

        func reserve(_ bytes: Int, for use: MemoryBudget.Use, of principal: String) -> Bool {
            account.reserve(bytes, for: use, of: principal)
        }

        func giveBackExcess(over bytes: Int, for use: MemoryBudget.Use) {
            account.giveBackExcess(over: bytes, for: use)
        }

        func close() { account.close() }
    }

    @Test func `the first bytes of a connection are free`() {
        let account = Account(memory)
        #expect(account.reserve(free, for: .requests, of: "a"))
        #expect(account.reserve(free, for: .longReads, of: "a"))
        #expect(memory.usage.bytes == 0)
        account.close()
    }

    @Test func `memory is taken in steps and given back when it is not needed`() {
        let account = Account(memory)
        #expect(account.reserve(free + 1, for: .requests, of: "a"))
        #expect(memory.usage.bytes == 65_536)
        #expect(account.reserve(free + 65_536, for: .requests, of: "a"), "the first step covers this too")
        #expect(memory.usage.bytes == 65_536)
        account.giveBackExcess(over: free + 100, for: .requests)
        #expect(memory.usage.bytes == 65_536, "what is needed again soon stays")
        account.giveBackExcess(over: free, for: .requests)
        #expect(memory.usage.bytes == 0)
        account.close()
    }

    @Test func `a connection that ends gives back everything`() {
        let account = Account(memory)
        #expect(account.reserve(300_000, for: .requests, of: "a"))
        #expect(account.reserve(200_000, for: .longReads, of: "a"))
        #expect(account.holdsAny)
        account.close()
        #expect(memory.usage.bytes == 0)
    }

    @Test func `the end of a peak is reported once`() {
        let account = Account(memory)
        #expect(!memory.takeTrimSignal())
        #expect(account.reserve(300_000, for: .requests, of: "a"))
        #expect(!memory.takeTrimSignal(), "the memory is still held")
        account.close()
        #expect(memory.takeTrimSignal())
        #expect(!memory.takeTrimSignal())
    }

    @Test func `connections of one principal share its half of the budget`() {
        let first = Account(memory)
        let second = Account(memory)
        let other = Account(memory)
        #expect(first.reserve(500_000, for: .requests, of: "a"))
        #expect(!second.reserve(100_000, for: .requests, of: "a"))
        #expect(second.reserve(free, for: .requests, of: "a"), "a short request never waits")
        #expect(other.reserve(500_000, for: .requests, of: "b"))
        #expect(memory.usage.refusals == 1)
        #expect(memory.isScarce)
        first.close()
        #expect(second.reserve(100_000, for: .requests, of: "a"))
        second.close()
        other.close()
        #expect(!memory.isScarce)
    }
}
