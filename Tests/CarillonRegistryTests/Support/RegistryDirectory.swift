import CarillonCore
import CarillonLMDB
import CarillonTestKit
import Foundation
import Synchronization

@testable import CarillonRegistry

/// The directory of the registry of a test, which it opens.
final class RegistryDirectory: Sendable {
    private let directory = TemporaryDirectory()
    var path: String { directory.path }

    func open(_ change: (inout LMDBRegistry.Options) -> Void = { _ in }) throws -> LMDBRegistry {
        var options = LMDBRegistry.Options()
        options.mapBytes = 16 << 20
        change(&options)
        return try LMDBRegistry(path: path, options: options)
    }
}

/// The key of digests where no database has made one.
let testSecret = AddressSecret(first: 1, second: 2)

/// Returns the key of a row of `addresses`.
func addressKey(_ address: AddressDigest, _ app: UInt32) -> [UInt8] {
    ByteWriter.bytes(capacity: 16) {
        $0.append(app)
        $0.append(address.head)
        $0.append(address.tail)
    }
}

/// The rows that a registry has reported as unreadable.
final class Reported: Sendable {
    private let texts = Mutex<[String]>([])

    @Sendable func record(_ text: String) { texts.withLock { $0.append(text) } }

    /// Takes all reports since the last call.
    func take() -> [String] {
        texts.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }
}

/// The results of submissions, in the order in which they were completed.
final class Completions: Sendable {
    typealias Outcome = Result<[ChangeAnswer], RegistryError>

    private let results = Mutex<[(name: Int, result: Outcome)]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func completion(_ name: Int = 0) -> @Sendable (Outcome) -> Void {
        { [self] result in
            results.withLock { $0.append((name, result)) }
            arrived.signal()
        }
    }

    func completionOfOne(_ name: Int = 0) -> @Sendable (Result<ChangeAnswer, RegistryError>) -> Void {
        let completion = completion(name)
        return { result in completion(result.map { [$0] }) }
    }

    /// Waits for `count` completions and returns all of them.
    func wait(_ count: Int = 1) -> [(name: Int, result: Outcome)] {
        for _ in 0..<count { arrived.wait() }
        return results.withLock { $0 }
    }
}

/// A writer that waits in the completion of a submission until it is released.
final class WriterHold: Sendable {
    fileprivate let isHeld = DispatchSemaphore(value: 0)
    fileprivate let mayGoOn = DispatchSemaphore(value: 0)

    deinit { release() }

    func release() { mayGoOn.signal() }
}

extension LMDBRegistry {
    /// Submits a change and holds the writer when it is made; returns when it is held.
    func holdWriter(with change: Change) -> WriterHold {
        let hold = WriterHold()
        submit(change, deadline: nil) { [isHeld = hold.isHeld, mayGoOn = hold.mayGoOn] _ in
            isHeld.signal()
            mayGoOn.wait()
        }
        hold.isHeld.wait()
        return hold
    }

    /// Submits changes, and waits for their answers.
    func apply(_ changes: [Change]) throws -> [ChangeAnswer] {
        let completions = Completions()
        submit(changes, deadline: nil, completion: completions.completion())
        return try completions.wait()[0].result.get()
    }

    /// Waits for a checkpoint, as a long read does.
    func checkpoint() throws { _ = try devices(of: game, cursor: 0, limit: 1) }

    /// Submits each change for itself, and waits for their answers.
    func applyEach(
        _ changes: [(change: Change, deadline: Uptime?)]
    ) -> [Result<ChangeAnswer, RegistryError>] {
        let found = Mutex<[Result<ChangeAnswer, RegistryError>]>([])
        let isAnswered = DispatchSemaphore(value: 0)
        submitEach(changes) { results in
            found.withLock { $0 = results }
            isAnswered.signal()
        }
        isAnswered.wait()
        return found.withLock { $0 }
    }

    /// Returns the unfinished messages of all queues, by id.
    func unfinished() throws -> [OutboxEntry] {
        try outboxQueues().flatMap { try unfinishedMessages(in: $0, after: nil, limit: .max).entries }
            .sorted { $0.id < $1.id }
    }

    /// Submits one change, and waits for its answer.
    func apply(_ change: Change) throws -> ChangeAnswer {
        let completions = Completions()
        submit(change, deadline: nil, completion: completions.completionOfOne())
        return try completions.wait()[0].result.get()[0]
    }
}

extension RegistryDirectory {
    /// Copies the closed database without a table, as a program makes it that does not know the table.
    func copy(without table: String) throws -> RegistryDirectory {
        let copy = RegistryDirectory()
        var options = LMDBEnvironment.Options()
        options.createsDirectory = true
        let target = try LMDBEnvironment(path: copy.path, options: options)
        try edit { environment, tables in
            for (name, database) in tables.databases where name != table {
                let copied = try target.openDatabase(name, ifMissing: .create)
                try environment.read { reading in
                    try target.write { writing in
                        try reading.forEach(in: database, prefix: [UInt8]().span) { key, value in
                            try writing.put(value, for: key, in: copied)
                            return .proceed
                        }
                    }
                }
            }
        }
        return copy
    }
}
