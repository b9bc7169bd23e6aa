import CarillonCore
import CarillonRegistryTestKit
import Dispatch
import Synchronization
import Testing

@testable import CarillonRegistry

/// The queue of the writer: its bounds, the changes of one record of the log, and the turns of reads.
///
/// `batch 1 2`: the writer has taken the changes 1 and 2 for one record. `11 overloaded`: change 11 was refused.
struct WriteQueueTests {
    private let queue: WriteQueue

    /// Ten changes wait at most, and four make a batch.
    init() { queue = Self.makeQueue { _ in } }

    private static func makeQueue(_ change: (inout LMDBRegistry.Options) -> Void) -> WriteQueue {
        var options = LMDBRegistry.Options()
        (options.maximumQueueChanges, options.maximumBatchChanges) = (10, 4)
        change(&options)
        return WriteQueue(options: options)
    }

    /// A change that is known by its number.
    private static func change(_ number: UInt64) -> Change {
        .acknowledge(EventSubscriber(principal: "game", name: "stats"), upTo: number, now: .zero)
    }

    private static func submission(_ number: UInt64) -> Submission {
        Submission(change(number), deadline: nil, chunkCount: 0) { _ in }
    }

    /// A submission of several changes, which take effect together.
    private static func submission(_ numbers: ClosedRange<UInt64>) -> Submission {
        Submission(numbers.map(change), deadline: nil) { _ in }
    }

    /// Appends changes one by one; returns those that are refused, with the reason.
    @discardableResult
    private func append(_ numbers: ClosedRange<UInt64>) -> [String] {
        numbers.compactMap { number in queue.append(Self.submission(number)).map { "\(number) \(Self.name($0))" } }
    }

    private static func name(_ error: RegistryError) -> String {
        switch error {
        case .overloaded: "overloaded"
        case .closed: "closed"
        case .storageFull: "storage full"
        default: "another error"
        }
    }

    private func numbers(_ submissions: [Submission]) -> [UInt64] {
        let changes = submissions.flatMap { submission -> [Change] in
            switch submission.mutation {
            case .change(let change): [change]
            case .changes(let changes): changes
            case .sweep: []
            }
        }
        return changes.compactMap { change in
            guard case .acknowledge(_, let number, _) = change else { return nil }
            return number
        }
    }

    /// Returns what the writer gets next without a wait, in words.
    private func dequeue(takesSubmissions: Bool = true) -> String {
        switch queue.dequeue(withinMilliseconds: 0, takesSubmissions: takesSubmissions) {
        case .batch(let batch): "batch \(numbers(batch).map { "\($0)" }.joined(separator: " "))"
        case .woken: "woken"
        case .timeout: "timeout"
        case .closed: "closed"
        }
    }

    // MARK: Bounds

    @Test func `submissions beyond the bound are refused until the writer takes some`() {
        #expect(append(1...12) == ["11 overloaded", "12 overloaded"])
        #expect(queue.load.changes == 10)
        #expect(dequeue() == "batch 1 2 3 4")
        #expect(append(13...17) == ["17 overloaded"])
        #expect(dequeue() == "batch 5 6 7 8")
        #expect(dequeue() == "batch 9 10 13 14")
        #expect(dequeue() == "batch 15 16")
        #expect(queue.load.changes == 0)
        #expect(queue.load.bytes == 0)
    }

    /// A refused submission of many changes leaves the room to smaller ones.
    @Test func `a submission is admitted as a whole or not at all`() {
        append(1...8)
        #expect(queue.append(Self.submission(20...22)).map(Self.name) == "overloaded")
        #expect(queue.append(Self.submission(30...31)) == nil)
        #expect(append(40...40) == ["40 overloaded"])
        #expect(numbers(queue.takeAllSubmissions()) == [1, 2, 3, 4, 5, 6, 7, 8, 30, 31])
        #expect(queue.load.changes == 0)
        #expect(queue.load.bytes == 0)
    }

    @Test func `the bytes in the queue are bounded`() {
        let bytes = Self.submission(1).byteCount
        let queue = Self.makeQueue { $0.maximumQueueBytes = 3 * bytes }
        #expect((1...3).allSatisfy { queue.append(Self.submission($0)) == nil })
        #expect(queue.append(Self.submission(4)).map(Self.name) == "overloaded")
        #expect(queue.load.bytes == 3 * bytes)
    }

    @Test func `the last of too many appended together are refused`() {
        let refused = queue.append(count: 12) { Self.submission(UInt64($0) + 1) }
        #expect(numbers(refused.map(\.submission)) == [11, 12])
        #expect(refused.map(\.refusal).map(Self.name) == ["overloaded", "overloaded"])
        #expect(dequeue() == "batch 1 2 3 4")
    }

    // MARK: Batches

    @Test func `a batch keeps the order and ends before the limit`() {
        append(1...2)
        #expect(queue.append(Self.submission(3...5)) == nil)
        append(6...6)
        #expect(dequeue() == "batch 1 2", "three more would be five")
        #expect(dequeue() == "batch 3 4 5 6")
    }

    /// A submission that had to fit into a batch would wait for ever.
    @Test func `a submission larger than a batch is a batch of its own`() {
        #expect(queue.append(Self.submission(1...9)) == nil)
        append(10...10)
        #expect(dequeue() == "batch 1 2 3 4 5 6 7 8 9")
        #expect(dequeue() == "batch 10")
    }

    @Test func `a batch has a bound of bytes`() {
        let bytes = Self.submission(1).byteCount
        let queue = Self.makeQueue { $0.maximumBatchBytes = 2 * bytes + 1 }
        for number in 1...3 as ClosedRange<UInt64> { #expect(queue.append(Self.submission(number)) == nil) }
        #expect(queue.dequeueIfAny().map(numbers) == [1, 2])
        #expect(queue.dequeueIfAny().map(numbers) == [3])
        #expect(queue.dequeueIfAny() == nil)
    }

    @Test func `a writer that takes no submissions leaves them there`() {
        append(1...1)
        #expect(dequeue(takesSubmissions: false) == "timeout")
        queue.wake()
        #expect(dequeue(takesSubmissions: false) == "woken")
        #expect(dequeue() == "batch 1")
    }

    // MARK: The end

    @Test func `waiting submissions are written at the end`() {
        append(1...5)
        queue.close()
        #expect(append(6...6) == ["6 closed"])
        #expect(["batch 1 2 3 4", "batch 5", "closed"].allSatisfy { $0 == dequeue() })
    }

    @Test func `no submission is written after a failure of the disk`() {
        append(1...3)
        #expect(numbers(queue.fail(.storageFull)) == [1, 2, 3], "these are answered with the failure")
        queue.close()
        #expect(append(4...4) == ["4 storage full"], "the reason stays")
        #expect(dequeue() == "closed")
        #expect(!queue.append(read(of: "game", 1)))
    }

    @Test func `an empty queue is reported when the writer has taken all`() async {
        #expect(queue.waitUntilEmpty(withinMilliseconds: 0))
        append(1...5)
        #expect(!queue.waitUntilEmpty(withinMilliseconds: 0))
        let queue = queue
        let isEmpty = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                // The wait ends when the writer has taken everything, long before its ten minutes are over.
                continuation.resume(returning: queue.waitUntilEmpty(withinMilliseconds: 600_000))
            }
            while queue.dequeueIfAny() != nil {}
        }
        #expect(isEmpty)
    }

    // MARK: Reads

    private let ran = Ran()

    private final class Ran: Sendable {
        let names = Mutex<[String]>([])
    }

    /// A read that fails with its name.
    private func read(of principal: String, _ number: Int) -> WriterRead {
        WriterRead(principal: principal, needs: .everything, run: { _, _, _ in }) { [ran] _ in
            ran.names.withLock { $0.append("\(principal) \(number)") }
        }
    }

    private func names(_ reads: [WriterRead]) -> [String] {
        for read in reads { read.fail(.closed) }
        return ran.names.withLock { names in
            defer { names = [] }
            return names
        }
    }

    @Test func `principals take turns`() {
        for number in 1...3 { #expect(queue.append(read(of: "greedy", number))) }
        #expect(queue.append(read(of: "modest", 1)))
        #expect(dequeue() == "woken")
        var taken: [WriterRead] = []
        while let next = queue.takeRead() { taken.append(next) }
        #expect(names(taken) == ["greedy 1", "modest 1", "greedy 2", "greedy 3"])
        #expect(!queue.hasReads)
    }

    @Test func `changes do not wait for reads that wait`() {
        #expect(queue.append(read(of: "game", 1)))
        append(1...1)
        #expect(dequeue() == "batch 1")
        #expect(queue.hasReads)
    }

    @Test func `waiting reads are returned when reads end`() {
        #expect(queue.append(read(of: "game", 1)))
        #expect(names(queue.refuseLaterReads()) == ["game 1"])
        #expect(!queue.append(read(of: "game", 2)))
        #expect(queue.takeReads().isEmpty)
    }
}
