import Testing

@testable import CarillonServer

/// The memory that one connection may hold, beside other connections that hold nearly all of it.
struct ConnectionMemoryLimitTests {
    private let free = MemoryAccount.freeBytes

    /// The memory of one connection.
    private final class Connection {
        private var memoryLimit: ConnectionMemoryLimit

        init(limit: Int) { memoryLimit = ConnectionMemoryLimit(SharedMemoryBudget(limitBytes: limit)) }

        init(_ memory: SharedMemoryBudget) { memoryLimit = ConnectionMemoryLimit(memory) }

        var holdsAny: Bool { memoryLimit.holdsAny }

        func takesRequest(requests: Int = 0, longReads: Int = 0) -> Bool {
            memoryLimit.reserveForRequest(beside: held(requests: requests, longReads: longReads), of: "game")
        }

        func takesFrame(_ frame: Int, requests: Int, output: Int) -> Bool {
            memoryLimit.outputWaits(output)
            return memoryLimit.reserveForFrame(beside: held(requests: requests, frame: frame), of: "game")
        }

        func takesAnswers(output: Int) -> Bool {
            memoryLimit.outputWaits(output)
            return memoryLimit.reserveForAnswers(of: "game")
        }

        func page(of wanted: Int, longReads: Int) -> Int {
            memoryLimit.reservePage(of: wanted, beside: held(longReads: longReads), of: "game")
        }

        func waitsForSocket() -> Bool { memoryLimit.beginWaitingForSocket() }

        func endWaitingForSocket() { memoryLimit.endWaitingForSocket() }

        func giveBackExcess(over requests: Int) { memoryLimit.giveBackExcess(over: held(requests: requests)) }

        private func held(requests: Int = 0, frame: Int = 0, longReads: Int = 0) -> ConnectionMemoryLimit.HeldBytes {
            ConnectionMemoryLimit.HeldBytes(requests: requests, frame: frame, longReads: longReads)
        }
    }

    @Test func `a short request needs no budget`() {
        let connection = Connection(limit: 0)
        #expect(connection.takesRequest(requests: free, longReads: free))
        #expect(!connection.takesRequest(requests: free + 1))
        #expect(!connection.takesRequest(longReads: free + 1))
        #expect(!connection.holdsAny)
    }

    @Test func `the frame being received counts with requests and output`() {
        let connection = Connection(limit: 0)
        #expect(connection.takesFrame(free / 4, requests: free / 4, output: free / 2))
        #expect(!connection.takesFrame(free / 4 + 1, requests: free / 4, output: free / 2))
    }

    @Test func `answers need memory for output only`() {
        let connection = Connection(limit: 0)
        #expect(connection.takesAnswers(output: free))
        #expect(!connection.takesAnswers(output: free + 1))
    }

    @Test func `a page is short while memory is scarce`() {
        let connection = Connection(limit: 0)
        #expect(connection.page(of: free, longReads: 0) == free)
        #expect(connection.page(of: free, longReads: 1) == 8_192)
        #expect(connection.page(of: 100, longReads: free) == 100, "it is short already")
    }

    @Test func `memory that is not needed is given back`() {
        let memory = SharedMemoryBudget(limitBytes: 64 << 20)
        let connection = Connection(memory)
        #expect(connection.takesRequest(requests: 1 << 20))
        #expect(connection.holdsAny)
        connection.giveBackExcess(over: free)
        #expect(!connection.holdsAny)
        #expect(memory.usage.bytes == 0)
    }

    @Test func `a connection waits for its socket once at a time`() {
        let connection = Connection(limit: 0)
        let begun = [connection.waitsForSocket(), connection.waitsForSocket()]
        #expect(begun == [true, false])
        connection.endWaitingForSocket()
        #expect(connection.waitsForSocket())
    }
}
