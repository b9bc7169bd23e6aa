import CarillonCore
import CarillonRegistryTestKit
import Foundation
import Synchronization
import Testing

@testable import CarillonRegistry

/// The order, the refusals and the bounds of submissions.
struct WriterTests {
    private let scratch = RegistryDirectory()

    @Test func `submissions in flight are completed in order`() throws {
        let registry = try scratch.open()
        let completions = Completions()
        for number in 0..<200 {
            registry.submit(
                [.register(1), .register(UInt8(number))],
                deadline: nil,
                completion: completions.completion(number)
            )
        }
        registry.submit([], deadline: nil, completion: completions.completion(200))
        let results = completions.wait(201)
        #expect(results.map(\.number) == Array(0...200))
        for each in results { _ = try each.result.get() }
    }

    @Test func `changes alone and in lists are completed in order`() throws {
        let registry = try LMDBRegistry(path: scratch.path, uptime: { 100 })
        let completions = Completions()
        let (inTime, late): (Uptime, Uptime) = (100, 99)
        let list = [Change.register(1), .register(2)]
        for first in stride(from: 0, to: 600, by: 4) {
            registry.submit(.register(1), deadline: inTime, completion: completions.completionOfOne(first))
            registry.submit(list, deadline: inTime, completion: completions.completion(first + 1))
            registry.submit(.register(1), deadline: late, completion: completions.completionOfOne(first + 2))
            registry.submit(list, deadline: late, completion: completions.completion(first + 3))
        }
        let results = completions.wait(600)
        #expect(results.map(\.number) == Array(0..<600))
        let ends = results.map { each in
            switch each.result {
            case .success(let answers): "\(answers.count) answers"
            case .failure(let error): "\(error)"
            }
        }
        let refusal = "\(RegistryError.deadline)"
        #expect(ends == (0..<150).flatMap { _ in ["1 answers", "2 answers", refusal, refusal] })
    }

    @Test func `a change is refused by a closed registry`() throws {
        let registry = try scratch.open()
        registry.close()
        #expect(throws: RegistryError.closed) { try registry.apply(.register(1)) }
    }

    @Test func `nothing waits when the submissions are drained`() throws {
        let registry = try scratch.open()
        #expect(registry.drainSubmissions(withinMilliseconds: 60_000))
        let completions = Completions()
        for number in 0..<500 {
            registry.submit([.register(UInt8(number % 200))], deadline: nil, completion: completions.completion(number))
        }
        #expect(registry.drainSubmissions(withinMilliseconds: 60_000))
        #expect(registry.queueLoad.changes == 0)
        #expect(completions.wait(500).count == 500)
        registry.close()
        #expect(!registry.drainSubmissions(withinMilliseconds: 60_000), "a closed registry hands over nothing more")
    }

    // MARK: Changes submitted together, each for itself

    @Test func `one failed change fails no other of the same list`() throws {
        let registry = try LMDBRegistry(path: scratch.path, uptime: { 100 })
        let unknown = Change.restore(RestoreRequest(app: game, device: .id(deviceID(99))), now: timestamp(1))
        let results = registry.applyEach([
            (.register(1), nil), (.register(2), 99), (unknown, nil), (.register(2), 100), (.register(1), nil),
        ])
        #expect(
            results == [
                .success(.registered(deviceID(1), .created, ended: nil)), .failure(.deadline),
                .success(.refused(.notFound)),
                .success(.registered(deviceID(2), .created, ended: nil)),
                .success(.registered(deviceID(1), .refreshed, ended: nil)),
            ])
    }

    @Test func `changes together take their place among others`() throws {
        let registry = try scratch.open { $0.maximumBatchChanges = 3 }
        let completions = Completions()
        registry.submit(.register(1), deadline: nil, completion: completions.completionOfOne(1))
        // These are more changes than one batch takes.
        registry.submitEach((1...8).map { (Change.register($0), nil) }) { results in
            completions.completion(2)(.success(results.compactMap { try? $0.get() }))
        }
        registry.submit(.register(8), deadline: nil, completion: completions.completionOfOne(3))
        let results = completions.wait(3)
        #expect(results.map(\.number) == [1, 2, 3])
        #expect(try results[0].result.get() == [.registered(deviceID(1), .created, ended: nil)])
        #expect(
            try results[1].result.get()
                == [.registered(deviceID(1), .refreshed, ended: nil)]
                + (2...8).map { .registered(deviceID($0), .created, ended: nil) })
        #expect(try results[2].result.get() == [.registered(deviceID(8), .refreshed, ended: nil)])
    }

    @Test func `changes of a list without room are refused`() throws {
        let registry = try scratch.open { $0.maximumQueueChanges = 2 }
        let hold = registry.holdWriter(with: .register(1))
        let isAnswered = DispatchSemaphore(value: 0)
        let found = Mutex<[Result<ChangeAnswer, RegistryError>]>([])
        registry.submitEach((2...5).map { (Change.register($0), nil) }) { results in
            found.withLock { $0 += results }
            isAnswered.signal()
        }
        // All of these are refused, on the thread of the caller.
        let refused = registry.applyEach([(.register(6), nil), (.register(7), nil)])
        #expect(refused == [.failure(.overloaded), .failure(.overloaded)])
        #expect(found.withLock { $0 } == [])
        hold.release()
        isAnswered.wait()
        #expect(
            found.withLock { $0 } == [
                .success(.registered(deviceID(2), .created, ended: nil)),
                .success(.registered(deviceID(3), .created, ended: nil)),
                .failure(.overloaded), .failure(.overloaded),
            ])
    }

    @Test func `changes together are refused by a closed registry`() throws {
        let registry = try scratch.open()
        registry.close()
        let refused = registry.applyEach([(.register(1), nil), (.register(2), nil)])
        #expect(refused == [.failure(.closed), .failure(.closed)])
        #expect(registry.applyEach([]) == [])
    }

    @Test func `a passed deadline is refused and has no effect`() throws {
        let registry = try LMDBRegistry(path: scratch.path, uptime: { 100 })
        let completions = Completions()
        registry.submit([.register(1)], deadline: 99, completion: completions.completion())
        registry.submit([.register(2)], deadline: 100, completion: completions.completion())
        let results = completions.wait(2).map(\.result)
        #expect(results == [.failure(.deadline), .success([.registered(deviceID(1), .created, ended: nil)])])
        #expect(try registry.device(byToken(1), of: game) == nil)
    }

    @Test func `a full queue refuses and takes again later`() throws {
        let registry = try scratch.open { $0.maximumQueueChanges = 3 }
        let hold = registry.holdWriter(with: .register(1))
        let completions = Completions()
        registry.submit([.register(2), .register(3)], deadline: nil, completion: completions.completion(1))
        registry.submit([.register(4), .register(5)], deadline: nil, completion: completions.completion(2))
        #expect(completions.wait(1).map(\.number) == [2])
        hold.release()
        let results = completions.wait(1)
        #expect(results[0].result == .failure(.overloaded))
        #expect(try results[1].result.get().count == 2)
        #expect(try registry.apply(.register(4)) == .registered(deviceID(4), .created, ended: nil))
    }

    /// Each commit waits for the disk: one commit for every submission would delay all of them by as many waits.
    @Test func `a submission that fails does not split the commit of the others`() throws {
        let first = try scratch.open()
        try first.apply(.register(1))
        first.close()
        try scratch.corruptDevice(1)
        let registry = try scratch.open()
        let hold = registry.holdWriter(with: .register(2))
        let before = try registry.statistics().commits
        let completions = Completions()
        for number in 0..<256 {
            let change = number == 100 ? Change.register(1) : .register(UInt8(number), kind: .voip)
            registry.submit(change, deadline: nil, completion: completions.completionOfOne(number))
        }
        hold.release()
        let results = completions.wait(256)
        #expect(results.map(\.number) == Array(0..<256))
        let failed = results.filter { if case .failure = $0.result { true } else { false } }
        #expect(failed.map(\.number) == [100])
        // The failed change is found by halving: about two commits for each of the eight halvings.
        #expect(try registry.statistics().commits - before < 20)
    }

    @Test func `a submission above the limit is refused`() throws {
        let registry = try scratch.open()
        let changes = Array(repeating: Change.register(1), count: RegistryLimits.changesPerSubmission + 1)
        #expect(throws: RegistryError.overloaded) { try registry.apply(changes) }
    }

    @Test func `queued changes are written before closing`() throws {
        let registry = try scratch.open()
        let completions = Completions()
        for number in 0..<100 {
            registry.submit([.register(UInt8(number))], deadline: nil, completion: completions.completion(number))
        }
        registry.close()
        registry.submit([.register(200)], deadline: nil, completion: completions.completion(100))
        let results = completions.wait(101)
        for each in results.dropLast() { _ = try each.result.get() }
        #expect(results.last?.result == .failure(.closed))
        #expect(throws: RegistryError.closed) { try registry.device(byToken(1), of: game) }
        #expect(throws: RegistryError.closed) { try registry.sweep(now: timestamp(1)) }
        registry.close()
    }
}
