package import CarillonCluster
package import CarillonCore
import Synchronization

/// A node of a scenario: a name and a connection to the shared log, without a registry.
///
/// The test decides each call. Four functions make any call of the log, `log.view(…, $0)`, and differ in what they do
/// with its end:
///
/// | Function | Returns |
/// |---|---|
/// | `result` | the result: an answer or a failure |
/// | `answer` | the answer; a failure is thrown, and fails the test |
/// | `failure` | the failure; an answer fails the test |
/// | `begin` | at once a function, which waits for the result: the test can do something else until then |
///
/// `append`, `settle`, `renew` and others with the name of a call make this one call, and wait for its end. In
/// `append(member, 2, "text")` the number is the sequence of the entry: its number among the entries of the member.
/// `join` takes the sequence 1. `carryOut` appends as a server does, with ``AppendRule``, which decides what follows a
/// failure.
///
/// Scenarios have `require(_:is:)` in place of `#expect`: it throws a ``ScenarioFailure`` if the values differ.
package struct TestNode: Sendable {
    package let deployment: any LogDeployment
    package let log: any SharedLog
    package let name: NodeName
    package var replicaID: UUIDBytes

    /// The milliseconds for a call. A scenario never waits so long unless something is wrong.
    package static let callMilliseconds: UInt64 = 600_000
    /// The milliseconds of a lease that lasts longer than any test, and of a silence that no node keeps.
    package static let endlessMilliseconds: UInt64 = 86_400_000
    /// The milliseconds of the leases of scenarios.
    package static let leaseMilliseconds: UInt64 = 200

    package init(_ deployment: any LogDeployment, _ name: String) throws {
        guard let name = NodeName(name) else { throw ScenarioFailure(description: "\(name) is not a name") }
        self.deployment = deployment
        log = try deployment.log()
        self.name = name
        replicaID = .random()
    }

    /// Makes a call, and waits for its result.
    package func result<T: Sendable>(
        _ call: (@escaping LogCompletion<T>) -> Void
    ) async -> Result<T, LogError> {
        await withCheckedContinuation { continuation in
            let isDone = Flag()
            call { result in
                isDone.set()
                continuation.resume(returning: result)
            }
            deployment.run(until: { isDone.isSet })
        }
    }

    /// Begins a call. The function that it returns waits for the result.
    package func begin<T: Sendable>(
        _ call: (@escaping LogCompletion<T>) -> Void
    ) -> @Sendable () async -> Result<T, LogError> {
        let (answers, continuation) = AsyncStream.makeStream(of: Result<T, LogError>.self)
        let isDone = Flag()
        call { result in
            isDone.set()
            continuation.yield(result)
        }
        return { [deployment] in
            deployment.run(until: { isDone.isSet })
            for await answer in answers { return answer }
            return .failure(.unavailable(.none, "the test was cancelled"))
        }
    }

    /// Makes a call, and waits for its answer.
    package func answer<T: Sendable>(
        _ call: (@escaping LogCompletion<T>) -> Void
    ) async throws(LogError) -> T { try await result(call).get() }

    /// Makes a call that must fail, and waits for its failure.
    package func failure<T: Sendable>(
        _ call: (@escaping LogCompletion<T>) -> Void
    ) async throws -> LogError {
        switch await result(call) {
        case .failure(let failure): return failure
        case .success(let answer): throw ScenarioFailure(description: "\(answer) instead of a failure")
        }
    }

    // MARK: Calls

    package func join(lease: UInt64 = TestNode.leaseMilliseconds) async throws(LogError) -> JoinedNode {
        let node = JoiningNode(
            name: name, replicaID: replicaID, address: "\(name):7474", format: 1, leaseMilliseconds: lease)
        return try await answer { log.join(node, withinMilliseconds: Self.callMilliseconds, $0) }
    }

    package func append(  // style: unlabelled: member, number and text of an entry
        _ member: Member, _ sequence: UInt64, _ text: String
    ) async -> Result<LogPosition, LogError> {
        await append(member, sequence, .changes(Array(text.utf8)))
    }

    package func append(  // style: unlabelled: member, number and content of an entry
        _ member: Member, _ sequence: UInt64, _ content: LogEntry.Content
    ) async -> Result<LogPosition, LogError> {
        guard let entry = Self.entry(member, sequence, content) else { return .failure(.refused("too large")) }
        return await result { log.append(entry, withinMilliseconds: Self.callMilliseconds, $0) }
    }

    package func expire(
        _ expired: Member, by member: Member, sequence: UInt64, silence: RequiredSilence?
    ) async -> Result<LogPosition, LogError> {
        guard let entry = Self.entry(member, sequence, .expired(expired)) else {
            return .failure(.refused("too large"))
        }
        return await result { log.expire(entry, silence: silence, withinMilliseconds: Self.callMilliseconds, $0) }
    }

    package func settle(_ member: Member, _ sequence: UInt64) async throws(LogError) -> Settlement {
        try await answer {
            log.settle(LogEntry.ID(member: member, sequence: sequence), withinMilliseconds: Self.callMilliseconds, $0)
        }
    }

    package func read(
        after position: LogPosition, _ limit: ReadLimit = ReadLimit()
    ) async -> Result<LogPage, LogError> {
        await result { log.read(after: position, limit: limit, withinMilliseconds: Self.callMilliseconds, $0) }
    }

    /// Reads all entries after a position, page by page.
    package func readAll(after position: LogPosition = 0, _ limit: ReadLimit = ReadLimit()) async throws -> [LogEntry] {
        var entries = [LogEntry]()
        var next = position
        while true {
            let page = try await read(after: next, limit).get()
            guard !page.entries.isEmpty else { return entries }
            try require(page.first, is: LogPosition(next.number + 1))
            entries += page.entries
            next = LogPosition(next.number + UInt64(page.entries.count))
        }
    }

    package func renew(_ progress: NodeProgress) async -> Result<ClusterView, LogError> {
        await result { log.renew(progress, withinMilliseconds: Self.callMilliseconds, $0) }
    }

    package func view() async throws(LogError) -> ClusterView {
        try await answer { log.view(withinMilliseconds: Self.callMilliseconds, $0) }
    }

    package func progress(_ member: Member, applied: LogPosition = 0, lease: UInt64 = TestNode.leaseMilliseconds)
        -> NodeProgress
    {
        NodeProgress(
            member: member, applied: applied, hash: UUIDBytes(high: applied.number, low: 7), leaseMilliseconds: lease,
            address: "\(name):7474", version: "1.2.3", newestFormat: 3)
    }

    package static func entry(  // style: unlabelled: member, number and content of an entry
        _ member: Member, _ sequence: UInt64, _ content: LogEntry.Content
    ) -> LogEntry? {
        LogEntry(id: LogEntry.ID(member: member, sequence: sequence), format: 1, content: content)
    }

    package func putSnapshot(_ member: Member, at position: LogPosition, chunks: [[UInt8]]) async throws -> SnapshotID {
        let header = SnapshotHeader(member: member, position: position, hash: .zero, format: 1)
        let id = try await answer { log.beginSnapshot(header, withinMilliseconds: Self.callMilliseconds, $0) }
        for (number, bytes) in chunks.enumerated() {
            try await answer {
                log.putSnapshotChunk(
                    bytes, number: UInt32(number), of: id, withinMilliseconds: Self.callMilliseconds, $0)
            }
        }
        try await answer {
            log.completeSnapshot(id, chunks: UInt32(chunks.count), withinMilliseconds: Self.callMilliseconds, $0)
        }
        return id
    }

    /// Carries out the actions of an ``AppendRule``, with a deadline that never comes, and returns the answer.
    package func carryOut(_ rule: inout AppendRule, _ text: String) async -> AppendRule.Answer {
        var action = rule.begin(.changes(Array(text.utf8)), format: 1, deadline: .max, at: 0)
        while true {
            switch action {
            case .append(let entry):
                switch await result({ log.append(entry, withinMilliseconds: Self.callMilliseconds, $0) }) {
                case .success(let position): action = rule.entryAppended(at: position)
                case .failure(let failure): action = rule.appendFailed(failure, at: 0)
                }
            case .settle(let id):
                switch await result({ log.settle(id, withinMilliseconds: Self.callMilliseconds, $0) }) {
                case .success(let settlement): action = rule.entrySettled(settlement, at: 0)
                case .failure(let failure): action = rule.settleFailed(failure, at: 0)
                }
            case .wait(let until), .reportUnknown(let until): action = rule.delayEnded(at: until)
            case .finish(let answer), .finishUnknown(let answer): return answer
            }
        }
    }
}

/// The steps of a snapshot, and trimming. A step without an answer returns its failure, or nil for success.
extension TestNode {
    func beginSnapshot(_ header: SnapshotHeader) async -> Result<SnapshotID, LogError> {
        await result { log.beginSnapshot(header, withinMilliseconds: Self.callMilliseconds, $0) }
    }

    func putChunk(_ bytes: [UInt8], number: UInt32, of id: SnapshotID) async -> LogError? {
        await fault {
            log.putSnapshotChunk(bytes, number: number, of: id, withinMilliseconds: Self.callMilliseconds, $0)
        }
    }

    func completeSnapshot(_ id: SnapshotID, chunks: UInt32) async -> LogError? {
        await fault { log.completeSnapshot(id, chunks: chunks, withinMilliseconds: Self.callMilliseconds, $0) }
    }

    func chunk(_ number: UInt32, of id: SnapshotID) async -> Result<[UInt8], LogError> {
        await result { log.snapshotChunk(number, of: id, withinMilliseconds: Self.callMilliseconds, $0) }
    }

    func trim(through position: LogPosition, snapshotsBefore snapshots: LogPosition = 0) async -> LogError? {
        await fault {
            log.trim(
                through: position, snapshotsBefore: snapshots, withinMilliseconds: Self.callMilliseconds, $0)
        }
    }

    /// Makes a call without an answer; returns its failure, or nil for success.
    private func fault(_ call: (@escaping LogCompletion<Void>) -> Void) async -> LogError? {
        switch await result(call) {
        case .success: nil
        case .failure(let failure): failure
        }
    }
}

/// A flag that any thread sets once.
package final class Flag: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package func set() { flag.store(true, ordering: .sequentiallyConsistent) }
    package var isSet: Bool { flag.load(ordering: .sequentiallyConsistent) }
}
