import Testing

@testable import CarillonServer

/// What one connection may hold in memory, beside other connections that hold nearly all of it.
struct MemoryGateTests {
    private let free = MemoryAccount.freeBytes

    /// The gate of one connection.
    private final class Gate {
        private var gate: MemoryGate

        init(limit: Int) { gate = MemoryGate(SharedMemoryBudget(limit: limit)) }

        init(_ memory: SharedMemoryBudget) { gate = MemoryGate(memory) }

        var holdsAny: Bool { gate.holdsAny }

        /// Returns true if one more request fits.
        func takesRequest(requests: Int = 0, listings: Int = 0) -> Bool {
            gate.reserveForRequest(beside: load(requests: requests, listings: listings), of: "game")
        }

        /// Returns true if the rest of a frame fits.
        func takesFrame(_ frame: Int, requests: Int, output: Int) -> Bool {
            gate.waitingOutput = output
            return gate.reserveForFrame(beside: load(requests: requests, frame: frame), of: "game")
        }

        func takesAnswers(output: Int) -> Bool {
            gate.waitingOutput = output
            return gate.reserveForAnswers(of: "game")
        }

        /// The bytes of a page.
        func page(of wanted: Int, listings: Int) -> Int {
            gate.reservePage(of: wanted, beside: load(listings: listings), of: "game")
        }

        func giveBackExcess(over requests: Int) { gate.giveBackExcess(over: load(requests: requests)) }

        private func load(requests: Int = 0, frame: Int = 0, listings: Int = 0) -> MemoryGate.Load {
            MemoryGate.Load(requests: requests, frame: frame, listings: listings)
        }
    }

    @Test func aShortRequestNeedsNoBudget() {
        let gate = Gate(limit: 0)
        #expect(gate.takesRequest(requests: free, listings: free))
        #expect(!gate.takesRequest(requests: free + 1))
        #expect(!gate.takesRequest(listings: free + 1))
        #expect(!gate.holdsAny)
    }

    @Test func theFrameThatComesInCountsWithRequestsAndOutput() {
        let gate = Gate(limit: 0)
        #expect(gate.takesFrame(free / 4, requests: free / 4, output: free / 2))
        #expect(!gate.takesFrame(free / 4 + 1, requests: free / 4, output: free / 2))
    }

    @Test func answersNeedMemoryForOutputOnly() {
        let gate = Gate(limit: 0)
        #expect(gate.takesAnswers(output: free))
        #expect(!gate.takesAnswers(output: free + 1))
    }

    @Test func aPageIsShortWhileMemoryIsScarce() {
        let gate = Gate(limit: 0)
        #expect(gate.page(of: free, listings: 0) == free)
        #expect(gate.page(of: free, listings: 1) == 8_192)
        #expect(gate.page(of: 100, listings: free) == 100, "it is short already")
    }

    @Test func whatIsNotNeededIsGivenBack() {
        let memory = SharedMemoryBudget(limit: 64 << 20)
        let gate = Gate(memory)
        #expect(gate.takesRequest(requests: 1 << 20))
        #expect(gate.holdsAny)
        gate.giveBackExcess(over: free)
        #expect(!gate.holdsAny)
        #expect(memory.load.used == 0)
    }
}
