package import CarillonCore
package import CarillonRegistry
import CarillonTestKit
import Dispatch
package import Foundation
import Synchronization

/// A directory for the registry of a test, and the way to open that registry. The directory is removed with this
/// object.
package final class RegistryDirectory: Sendable {
    private let directory = TemporaryDirectory()
    package var path: String { directory.path }

    package init() {}

    package func file(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }

    /// Opens the registry, and makes it if there is none.
    package func open(_ change: (inout LMDBRegistry.Options) -> Void = { _ in }) throws -> LMDBRegistry {
        var options = LMDBRegistry.Options()
        options.mapBytes = 16 << 20
        change(&options)
        return try LMDBRegistry(path: path, options: options)
    }

    /// Copies the files as a process that ends now leaves them. Nothing may be written during the copy.
    package func crashed() throws -> RegistryDirectory { try copy(without: []) }

    /// Copies data.mdb and data.wal, or only one of them.
    package func copy(without names: Set<String>) throws -> RegistryDirectory {
        let copy = RegistryDirectory()
        try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
        for name in ["data.mdb", "data.wal"] where !names.contains(name) {
            guard FileManager.default.fileExists(atPath: file(name).path) else { continue }
            try FileManager.default.copyItem(at: file(name), to: copy.file(name))
        }
        return copy
    }
}

extension LMDBRegistry {
    /// Submits one change, and waits for its answer.
    @discardableResult
    package func apply(_ change: Change) throws -> ChangeAnswer {
        let completions = Completions()
        submit(change, deadline: nil, completion: completions.completionOfOne())
        return try completions.wait()[0].result.get()[0]
    }

    /// Submits changes, and waits for their answers.
    @discardableResult
    package func apply(_ changes: [Change]) throws -> [ChangeAnswer] {
        let completions = Completions()
        submit(changes, deadline: nil, completion: completions.completion())
        return try completions.wait()[0].result.get()
    }

    /// Waits for a checkpoint, as a long read does.
    package func checkpoint() throws { _ = try devices(of: game, cursor: 0, limit: 1) }
}

/// The results of submissions, in the order in which they were completed.
package final class Completions: Sendable {
    package typealias Answers = Result<[ChangeAnswer], RegistryError>

    private let results = Mutex<[(number: Int, result: Answers)]>([])
    private let arrived = DispatchSemaphore(value: 0)

    package init() {}

    /// Returns the completion of a submission, which has this number in the results.
    package func completion(_ number: Int = 0) -> @Sendable (Answers) -> Void {
        { [self] result in
            results.withLock { $0.append((number, result)) }
            arrived.signal()
        }
    }

    /// Returns the completion of a submission of one change.
    package func completionOfOne(_ number: Int = 0) -> @Sendable (Result<ChangeAnswer, RegistryError>) -> Void {
        let completion = completion(number)
        return { result in completion(result.map { [$0] }) }
    }

    /// Waits for `count` completions and returns all of them.
    package func wait(_ count: Int = 1) -> [(number: Int, result: Answers)] {
        for _ in 0..<count { arrived.wait() }
        return results.withLock { $0 }
    }
}
