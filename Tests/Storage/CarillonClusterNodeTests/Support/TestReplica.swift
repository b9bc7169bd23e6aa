import CarillonClusterTestKit
import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit
import Foundation
import Synchronization

@testable import CarillonCluster
@testable import CarillonClusterNode
@testable import CarillonRegistry

/// A data directory and the process that runs on it, which is a registry and its node.
// Safety: it is used by one test; what other threads report is in `reports`.
final class TestReplica: @unchecked Sendable {
    /// The reports of the node since its start.
    struct Reports {
        var stopReason: ClusterNode.StopReason?
        var mustStartAgain = false
        var notices: [String] = []
    }

    let name: NodeName
    private let deployment: any LogDeployment
    private let time: TestTime
    /// The data directories. The last one is in use.
    private var directories = [TemporaryDirectory()]
    var path: String { directories[directories.endIndex - 1].path }
    private(set) var registry: LMDBRegistry?
    private(set) var node: NodeLoop?
    private var exchange: ReplicaExchange?
    private(set) var log: (any SharedLog)?
    private let reports = Mutex(Reports())
    private let retention: RetentionRule.Limits
    /// The entries that were applied, as the delivery engine is told of them.
    let applied = Mutex<[AppliedEntry]>([])

    init(
        _ name: String, on deployment: any LogDeployment, time: TestTime, retention: RetentionRule.Limits = .init()
    ) {
        self.name = NodeName(name)!
        self.deployment = deployment
        self.time = time
        self.retention = retention
        time.pause(while: { [weak self] in self?.node?.node.progress.applying != nil })
    }

    /// Starts the process.
    ///
    /// - Parameter keepsOpen: true for a transaction that is not committed before it is full.
    func start(keepsOpen: Bool = false) throws {
        reports.withLock { $0 = Reports() }
        let exchange = ReplicaExchange()
        var options = LMDBRegistry.Options()
        options.mapBytes = 32 << 20
        options.exchange = exchange
        if keepsOpen {
            options.checkpoints.delayMilliseconds = 600_000
            options.checkpoints.idleCommitMilliseconds = 600_000
        }
        options.onApplied = { [weak self] entry in self?.applied.withLock { $0.append(entry) } }
        let registry = try LMDBRegistry(path: path, options: options)
        let log = try deployment.log()
        var observer = NodeLoop.Observer()
        observer.stopped = { [weak self] reason in self?.report { $0.stopReason = reason } }
        observer.mustStartAgain = { [weak self] in self?.report { $0.mustStartAgain = true } }
        observer.noticed = { [weak self] text in self?.report { $0.notices.append(text) } }
        let node = try NodeLoop(
            name, of: registry, exchange: exchange, on: log, executor: time.executor(), timeouts: time.calls,
            observer: observer
        ) { [time, retention] options in
            options.times = time.leases
            (options.entryWaitMilliseconds, options.maximumStalenessMilliseconds) = (
                100, time.leases.leaseMilliseconds * 3 / 4
            )
            options.retention = retention
        }
        node.start()
        self.registry = registry
        self.node = node
        self.exchange = exchange
        self.log = log
    }

    private func report(_ change: (inout Reports) -> Void) {
        reports.withLock { change(&$0) }
        time.tellChange()
    }

    /// Ends the process in order, without leaving the cluster.
    func close() {
        node?.close()
        registry?.close()
        registry = nil
        node = nil
        log = nil
    }

    /// Leaves the cluster and ends.
    func leave() throws {
        node?.leave(withinMilliseconds: 5_000)
        try time.wait(until: "\(name) has left") { stopReason == .left }
        close()
    }

    /// Ends the process without a commit. It must have been started to keep its transaction open.
    func crash() throws {
        node?.close()
        let copy = TemporaryDirectory()
        try copy.make()
        try FileManager.default.copyItem(atPath: path + "/data.mdb", toPath: copy.file("data.mdb"))
        registry?.close()
        directories.append(copy)
        registry = nil
        node = nil
        log = nil
    }

    /// Starts the process again if a replacement waits.
    func startAgainIfAsked() throws {
        guard reports.withLock({ $0.mustStartAgain }) else { return }
        close()
        try start()
    }

    var stopReason: ClusterNode.StopReason? { reports.withLock { $0.stopReason } }
    var notices: [String] { reports.withLock { $0.notices } }
    var readiness: String { node.map { "\($0.status.readiness)" } ?? "is down" }
    var position: LogPosition { node?.status.applied ?? 0 }
    /// True if the replica may append changes in every form that it knows, because all live nodes know them.
    var appendsNewestFormat: Bool { exchange?.format == ReplicaExchange.newestFormat }
    var isReady: Bool { node?.mayAct ?? false }

    /// Lets time pass until a condition is true.
    func wait(until what: @autoclosure () -> String, _ condition: () throws -> Bool) throws {
        try time.wait(until: what(), condition)
    }

    /// Submits a change and waits for its answer.
    func apply(_ change: Change) throws -> ChangeAnswer { try end(of: change).get() }

    /// Submits a change and waits for its end.
    func end(of change: Change) throws -> Result<ChangeAnswer, RegistryError> {
        let answer = Mutex<Result<ChangeAnswer, RegistryError>?>(nil)
        guard let registry else { return .failure(.closed) }
        registry.submit(change, deadline: nil) { [time] result in
            answer.withLock { $0 = result }
            time.tellChange()
        }
        try time.wait(until: "\(name) answers") { answer.withLock { $0 != nil } }
        return answer.withLock { $0 } ?? .failure(.closed)
    }

    /// Returns the messages of the outbox that this node sends.
    func messagesToSend() throws -> [MessageID] {
        guard let registry else { return [] }
        return try registry.outboxQueues().flatMap {
            try registry.unfinishedMessages(in: $0, after: nil, limit: 100).messages.map(\.id)
        }
    }

    /// Returns all rows by their tables and keys, except those about this directory alone.
    func rows() throws -> [String: [UInt8]] {
        guard let registry else { return [:] }
        return try registry.readAfterCheckpoint { transaction, tables in
            var rows: [String: [UInt8]] = [:]
            for (name, database) in tables.databases {
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
