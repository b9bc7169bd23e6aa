import CarillonCore
import CarillonRegistryTestKit
import Dispatch
import Synchronization
import Testing

@testable import CarillonRegistry

/// Reads that the writer runs: whose turn it is, and how much one of them may be.
struct WriterReadTests {
    private let scratch = RegistryDirectory()

    private func read(_ principal: String) -> WriterRead {
        WriterRead(principal: principal, needs: .everything, run: { _, _, _ in }, fail: { _ in })
    }

    @Test func `principals take turns however many connections they have`() {
        let queue = WriteQueue(options: LMDBRegistry.Options())
        for principal in ["many", "many", "many", WriterRead.serverPrincipal, "one"] {
            #expect(queue.append(read(principal)))
        }
        var order: [String] = []
        while let read = queue.takeRead() { order.append(read.principal) }
        #expect(order == ["many", WriterRead.serverPrincipal, "one", "many", "many"])
        #expect(!queue.hasReads)
        #expect(queue.append(read("one")))
        #expect(queue.hasReads)
        #expect(queue.refuseLaterReads().map(\.principal) == ["one"])
        #expect(!queue.append(read("one")))
    }

    /// Returns the results of one read of the writer.
    private func results(
        of reads: [PointRead], in registry: LMDBRegistry
    ) -> [Result<PointReadResult?, RegistryError>] {
        let answered = DispatchSemaphore(value: 0)
        let results = Mutex<[Result<PointReadResult?, RegistryError>]>([])
        registry.submitPointReads(reads, of: game, for: "observer") { some in
            results.withLock { $0 = some }
            answered.signal()
        }
        answered.wait()
        return results.withLock { $0 }
    }

    /// Returns the audience of a status; nil if the result is none.
    private func audience(of result: Result<PointReadResult?, RegistryError>) throws -> String? {
        guard case .status(let status)? = try result.get() else { return nil }
        return status.audience
    }

    @Test func `long answers are given in several turns`() throws {
        let registry = try scratch.openWithBulkIngest()
        let text = (1...15).map { "'\(String(repeating: "g", count: 198))\($0)' in topics" }.joined(separator: " || ")
        try registry.apply(.accept(.sample(to: .condition(try Condition(text))), now: timestamp(1_000)))
        #expect(!registry.isSnapshotCurrent)
        var left = [PointRead](repeating: .status(messageID(1)), count: 100)
        var turns = 0
        while !left.isEmpty {
            let results = results(of: left, in: registry)
            try #require(!results.isEmpty, "a turn answers at least one read")
            let bytes = try results.map { result in try #require(try audience(of: result)).utf8.count }
            #expect(bytes.allSatisfy { $0 > 3_000 }, "each has its audience")
            #expect(bytes.dropLast().reduce(0, +) < WriterRead.maximumAnswerBytes)
            left.removeFirst(results.count)
            turns += 1
        }
        #expect(turns >= 100 * 3_000 / (WriterRead.maximumAnswerBytes + MessageStatus.maximumAudienceBytes))
    }
}
