import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import CarillonLMDB
import Dispatch
import Foundation
import NIOPosix
import Synchronization

@testable import CarillonClusterNode
@testable import CarillonRegistry

/// A data directory, and the process that runs on it: a registry and its node.
///
// Safety: it is used by one test; what other threads tell is in `told`.
final class TestReplica: @unchecked Sendable {
    struct Told {
        var stopped: ClusterNode.StopReason?
        var mustStartAgain = false
        var notices: [String] = []
    }

    let name: NodeName
    private let deployment: any LogDeployment
    private(set) var path = TestReplica.newPath()
    private(set) var registry: LMDBRegistry?
    private(set) var node: NodeLoop?
    private(set) var log: (any SharedLog)?
    private let told = Mutex(Told())
    private var paths: [String] = []
    private let retention: RetentionRule.Limits
    /// Entries that were applied, as the delivery engine is told of them.
    let applied = Mutex<[AppliedEntry]>([])

    init(_ name: String, _ deployment: any LogDeployment, retention: RetentionRule.Limits = .init()) {
        (self.name, self.deployment, self.retention) = (NodeName(name)!, deployment, retention)
        paths = [path]
    }

    deinit {
        for path in paths { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func newPath() -> String { NSTemporaryDirectory() + "replica-" + UUID().uuidString }

    /// Starts the process.
    ///
    /// - Parameter keepsOpen: true for a transaction that is not committed before it is full.
    func start(keepsOpen: Bool = false) throws {
        told.withLock { $0 = Told() }
        let link = ReplicaLink()
        var options = LMDBRegistry.Options()
        options.mapBytes = 32 << 20
        options.replica = link
        if keepsOpen { (options.wal.delayMilliseconds, options.wal.idleCommitMilliseconds) = (600_000, 600_000) }
        options.onApplied = { [weak self] entry in self?.applied.withLock { $0.append(entry) } }
        let registry = try LMDBRegistry(path: path, options: options)
        let log = try deployment.log()
        var handlers = NodeLoop.Handlers()
        handlers.stopped = { [weak self] reason in self?.told.withLock { $0.stopped = reason } }
        handlers.mustStartAgain = { [weak self] in self?.told.withLock { $0.mustStartAgain = true } }
        handlers.noticed = { [weak self] text in self?.told.withLock { $0.notices.append(text) } }
        // A busy machine must not look like an engine that is away; tests that need one that is wait for it.
        var times = NodeLoop.Times()
        (times.entries, times.control) = (2_000, 3_000)
        let node = try NodeLoop(
            name, of: registry, link: link, on: log, loop: MultiThreadedEventLoopGroup.singleton.next(), times: times,
            handlers: handlers
        ) { settings in
            settings.times = LeaseTimes(lease: 4_000, margin: 500, renewal: 200)
            (settings.newsTime, settings.bound) = (100, 3_000)
            settings.retention = retention
        }
        node.start()
        (self.registry, self.node, self.log) = (registry, node, log)
    }

    /// Ends the process in order, without leaving the cluster.
    func close() {
        node?.close()
        registry?.close()
        (registry, node, log) = (nil, nil, nil)
    }

    /// Leaves the cluster and ends.
    func leave() throws {
        node?.leave(within: 5_000)
        try waitUntil("\(name) has left") { self.stopReason == .left }
        close()
    }

    /// The process ends without a commit. It must have been started to keep its transaction open.
    func crash() throws {
        node?.close()
        let copy = Self.newPath()
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: path + "/data.mdb", toPath: copy + "/data.mdb")
        registry?.close()
        paths.append(copy)
        (registry, node, log, path) = (nil, nil, nil, copy)
    }

    /// What the process does when a replacement waits: it starts again.
    func startAgainIfAsked() throws {
        guard told.withLock({ $0.mustStartAgain }) else { return }
        close()
        try start()
    }

    var stopReason: ClusterNode.StopReason? { told.withLock { $0.stopped } }
    var notices: [String] { told.withLock { $0.notices } }
    var readiness: String { node.map { "\($0.status.readiness)" } ?? "is down" }
    var position: LogPosition { node?.status.applied ?? 0 }
    var isReady: Bool { node?.mayAct ?? false }

    /// Submits a change and waits for its answer.
    func apply(_ change: Change) throws -> ChangeAnswer { try end(of: change).get() }

    /// Submits a change and waits for its end.
    func end(of change: Change) -> Result<ChangeAnswer, RegistryError> {
        let answer = Mutex<Result<ChangeAnswer, RegistryError>?>(nil)
        let isThere = DispatchSemaphore(value: 0)
        guard let registry else { return .failure(.closed) }
        registry.submit(change, deadline: nil) { result in
            answer.withLock { $0 = result }
            isThere.signal()
        }
        isThere.wait()
        return answer.withLock { $0 } ?? .failure(.closed)
    }

    /// The messages of the outbox that this node sends.
    func messagesToSend() throws -> [MessageID] {
        guard let registry else { return [] }
        return try registry.outboxQueues().flatMap {
            try registry.unfinishedMessages(in: $0, after: nil, limit: 100).entries.map(\.id)
        }
    }

    /// All rows by their tables and keys, but for what is said of this directory alone.
    func rows() throws -> [String: [UInt8]] {
        guard let registry else { return [:] }
        return try registry.read { transaction, layout in
            var rows: [String: [UInt8]] = [:]
            for (name, database) in layout.databases {
                try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
                    let key = key.withUnsafeBufferPointer { Array($0) }
                    let text = String(decoding: key, as: UTF8.self)
                    if name != "meta" || !["state", "starts", "log", "journal", "replica"].contains(text) {
                        rows["\(name) \(Hex.string(key))"] = value.withUnsafeBufferPointer { Array($0) }
                    }
                    return .proceed
                }
            }
            return rows
        }
    }
}

/// Waits until something is true.
func waitUntil(
    _ what: @autoclosure () -> String, seconds: Int = 60, _ condition: () throws -> Bool
) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try !condition() {
        guard ContinuousClock.now < end else {
            throw ScenarioFailure(description: "not within \(seconds) s: \(what())")
        }
        // pause: other threads work towards the condition.
        usleep(2_000)
    }
}

/// Lets the time of a simulated engine pass as fast as real time.
final class EnginePump: Sendable {
    private let isStopped = Atomic<Bool>(false)

    init(_ engine: SimulatedEngine) {
        Thread.detachNewThread { [self] in
            var last = ContinuousClock.now
            while !isStopped.load(ordering: .relaxed) {
                // pause: a step of virtual time.
                usleep(1_000)
                let now = ContinuousClock.now
                let passed = UInt64((now - last) / .milliseconds(1))
                if passed > 0 {
                    engine.advance(by: passed)
                    last += .milliseconds(Int(passed))
                }
            }
        }
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }
}
