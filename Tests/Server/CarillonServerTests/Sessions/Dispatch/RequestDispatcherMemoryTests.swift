import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore
import Testing

@testable import CarillonServer

/// The reads and answers of a dispatcher while memory is short.
struct RequestDispatcherMemoryTests {
    private let memory = SharedMemoryBudget(limitBytes: 256 * 1_024)
    private let lookup = LookupRequest(app: ScriptedConnection.game, device: .id(DeviceID(rawValue: 1)))

    /// Returns the number of whole frames in some bytes.
    private func frames(in bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            var count = 0
            while let header = FrameHeader(UnsafeRawBufferPointer(rebasing: bytes[offset...])) {
                offset += FrameHeader.byteCount + Int(header.length)
                count += 1
            }
            return count
        }
    }

    @Test func `the rest of a long frame waits for memory`() throws {
        let connection = try ScriptedConnection(as: "registrar", memory: memory)
        // A LOOKUP of 100,000 bytes; 1,000 of them have come.
        let header: [UInt8] = [0, 1, 0x86, 0xA0, 1, 0, 0, 0x13, 0, 0, 0, 0, 0, 0, 0, 2]
        connection.receive(header + [UInt8](repeating: 0, count: 1_000))
        #expect(memory.take(128 * 1_024, for: .requests, of: "registrar"))
        #expect(!connection.readsSocket)
        memory.giveBack(128 * 1_024, of: .requests, by: "registrar")
        connection.advanceTime(by: .milliseconds(250))
        #expect(!connection.readsSocket, "it waits for its turn")
        connection.advanceTime(by: .milliseconds(1))
        #expect(connection.readsSocket)
        #expect(memory.usage.bytes >= 65_536, "the whole frame has a place")
        connection.close()
        #expect(memory.usage.bytes == 0)
    }

    @Test func `a short request is answered while another connection holds everything`() throws {
        let connection = try ScriptedConnection(as: "registrar", memory: memory)
        #expect(memory.take(128 * 1_024, for: .requests, of: "registrar"))
        #expect(memory.take(128 * 1_024, for: .requests, of: "other"))
        #expect(try connection.send(lookup) == "NOT_FOUND device")
    }

    @Test func `while memory is scarce answers are made piece by piece`() throws {
        let connection = try ScriptedConnection(as: "registrar", memory: memory)
        #expect(memory.take(128 * 1_024, for: .requests, of: "a"))
        #expect(memory.take(64 * 1_024, for: .requests, of: "b"))
        connection.receive((1...1_000).flatMap { _ in connection.frame(lookup) })
        var pieces: [Int] = []
        while true {
            let output = connection.takeOutput()
            // On a busy machine a time slice can be over before a request is read.
            guard !output.isEmpty || connection.isReadingStopped else { break }
            #expect(output.count < 10_000)
            if !output.isEmpty { pieces.append(frames(in: output)) }
            connection.resume()
        }
        #expect(pieces.count > 1)
        #expect(pieces.reduce(0, +) == 1_000)
    }

    @Test func `point reads that the writer did not read in one turn are submitted again`() throws {
        let registry = FakeRegistry(isSnapshotCurrent: false, readsPerTurn: 3) { _ in .applied }
        let connection = try ScriptedConnection(as: "registrar", registry: registry)
        connection.receive((1...10).flatMap { _ in connection.frame(lookup) })
        // On a busy machine a time slice can be over before a request is read.
        func resume() { repeat { connection.resume() } while connection.isReadingStopped }
        if connection.isReadingStopped { resume() }
        var answers = 0
        var turns = 0
        while registry.answerReads() > 0 {
            resume()
            answers += frames(in: connection.takeOutput())
            resume()
            turns += 1
            #expect(answers == min(10, 3 * turns))
        }
        #expect(turns == 4)
    }
}
