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

    @Test func principalsTakeTurnsHoweverManyConnectionsTheyHave() {
        let queue = WriteQueue(options: LMDBRegistry.Options())
        for principal in ["many", "many", "many", WriterRead.server, "one"] {
            #expect(queue.append(read(principal)))
        }
        var order: [String] = []
        while let read = queue.takeRead() { order.append(read.principal) }
        #expect(order == ["many", WriterRead.server, "one", "many", "many"])
        #expect(!queue.hasReads)
        #expect(queue.append(read("one")))
        #expect(queue.hasReads)
        #expect(queue.endReads().map(\.principal) == ["one"])
        #expect(!queue.append(read("one")))
    }

    /// Returns the results of one read of the writer.
    private func results(
        of reads: [PointRead], _ registry: LMDBRegistry
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

    @Test func oneReadHasNoMoreThanSomeLongAnswers() throws {
        let registry = try scratch.open {
            $0.ingestInBulk()
            $0.settings = nil
        }
        let text = (1...15).map { "'\(String(repeating: "g", count: 198))\($0)' in topics" }.joined(separator: " || ")
        _ = try registry.apply(.accept(testMessage(toAll: .condition(try condition(text))), now: timestamp(1_000)))
        #expect(!registry.isSnapshotCurrent)
        let reads = [PointRead](repeating: .status(MessageID(rawValue: 1)), count: 100)
        var left = reads[...]
        var turns = 0
        while !left.isEmpty {
            let results = results(of: Array(left), registry)
            #expect(!results.isEmpty)
            let bytes = try results.map { result -> Int in
                guard case .status(let status)? = try result.get() else { return 0 }
                return status.audience?.utf8.count ?? 0
            }
            #expect(bytes.allSatisfy { $0 > 3_000 }, "each has its audience")
            #expect(bytes.dropLast().reduce(0, +) < WriterRead.maximumAnswerBytes)
            left = left.dropFirst(results.count)
            turns += 1
            if results.isEmpty { break }
        }
        #expect(turns >= 100 * 3_000 / (WriterRead.maximumAnswerBytes + MessageStatus.audienceBytes))
    }
}
