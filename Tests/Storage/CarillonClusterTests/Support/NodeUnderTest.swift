import CarillonCore
import Testing

@testable import CarillonCluster

/// The node a of a cluster. Each function is an event, which comes a millisecond after the one before, and returns the
/// actions of the node. The hash after an entry is its position.
struct NodeUnderTest {
    typealias Action = ClusterNode.Action

    /// A batch of changes that the node has begun, or has refused to begin.
    struct Batch {
        var id: ClusterNode.BatchID?
        var actions: [Action]
    }

    static let a = SampleCluster.a
    static let b = SampleCluster.b
    /// The values that the node's log has in its initial state, if the node begins the log.
    static let parameters: [UInt8] = [7]

    private(set) var node: ClusterNode
    private(set) var now: Uptime = 1_000

    init(_ state: ReplicaState = ReplicaState()) {
        var options = ClusterNode.Options(name: Self.a.node, replicaID: UUIDBytes(high: 9, low: 9))
        options.parameters = Self.parameters
        node = ClusterNode(options: options, replicaState: state)
    }

    static func initialState(
        _ kind: InitialState.Kind, parameters: [UInt8] = parameters
    ) -> LogEntry.Content {
        .initialState(InitialState(kind: kind, parameters: parameters)!)
    }

    /// Makes a replica that has reached a position.
    static func replicaState(at position: LogPosition, _ kind: InitialState.Kind = .empty) -> ReplicaState {
        var state = ReplicaState()
        state.applied = hash(at: position)
        state.initialState = kind
        return state
    }

    private static func hash(at position: LogPosition) -> RunningHash {
        RunningHash(position: position, value: UUIDBytes(high: 0, low: position.number))
    }

    static func page(_ entries: [LogEntry], from first: LogPosition) -> LogPage {
        let last = LogPosition(first.number + UInt64(entries.count) - 1)
        return LogPage(first: first, entries: entries, ends: LogEnds(head: last, trimmed: 0))
    }

    /// Makes a view of nodes that have applied the log up to their positions.
    static func view(
        _ applied: KeyValuePairs<Member, LogPosition>, head: LogPosition, snapshots: [Snapshot] = []
    ) -> ClusterView {
        SampleCluster.view(
            applied.map { SampleCluster.node($0.key, applied: $0.value, hash: $0.value.number) }, head: head,
            snapshots: snapshots)
    }

    // MARK: Events

    /// Lets time pass before the next event.
    mutating func pass(milliseconds: UInt64) { now = now + milliseconds }

    @discardableResult
    mutating func event(_ body: (inout ClusterNode, Uptime) -> Void) -> [Action] {
        now = now + 1
        body(&node, now)
        return node.takeActions()
    }

    @discardableResult
    mutating func fireTimer() -> [Action] { event { $0.timerFired(at: $1) } }

    /// Ends the join: the node is a member, with the entry at a position.
    @discardableResult
    mutating func endJoin(as member: Member = a, at position: LogPosition = 1) -> [Action] {
        event { node, now in
            let joined = JoinedNode(member: member, position: position, log: SampleCluster.log)
            node.joinEnded(.success(joined), at: now)
        }
    }

    @discardableResult
    mutating func endRenewal(with view: ClusterView) -> [Action] { event { $0.renewEnded(.success(view), at: $1) } }

    /// Ends a read of entries.
    @discardableResult
    mutating func endRead(_ entries: [LogEntry], from first: LogPosition) -> [Action] {
        event { $0.readEnded(.success(Self.page(entries, from: first)), at: $1) }
    }

    /// Ends the wait for entries, with entries.
    @discardableResult
    mutating func endAwait(_ entries: [LogEntry], from first: LogPosition) -> [Action] {
        event { $0.awaitEnded(.success(Self.page(entries, from: first)), at: $1) }
    }

    /// Ends the wait for entries with the head alone.
    @discardableResult
    mutating func endAwait(head: LogPosition) -> [Action] {
        event { $0.awaitEnded(.success(LogPage(ends: LogEnds(head: head, trimmed: 0))), at: $1) }
    }

    mutating func beginBatch(needing format: UInt16 = 1) -> Batch {
        var id: ClusterNode.BatchID?
        let actions = event { id = $0.begin([1], needing: format, deadline: $1 + 1_000, at: $1) }
        return Batch(id: id, actions: actions)
    }

    @discardableResult
    mutating func endAppend(at position: LogPosition) -> [Action] {
        event { $0.appendEnded(.success(position), at: $1) }
    }

    @discardableResult
    mutating func failAppend(with failure: LogError) -> [Action] {
        event { $0.appendEnded(.failure(failure), at: $1) }
    }

    /// Ends the application of the entries that `actions` asked the replica to apply.
    @discardableResult
    mutating func endApplication(_ actions: [Action], urgent: Set<LogPosition> = []) throws -> [Action] {
        let application = try #require(Self.application(in: actions))
        let hashes = application.entries.indices.map { index in
            Self.hash(at: LogPosition(application.first.number + UInt64(index)))
        }
        let result = ClusterNode.ApplyResult(hashes: hashes, urgent: urgent)
        return event { $0.entriesApplied(result, at: $1) }
    }

    @discardableResult
    mutating func leave(withinMilliseconds milliseconds: UInt64) -> [Action] {
        event { $0.leave(deadline: $1 + milliseconds, at: $1) }
    }

    /// Returns the name under which an action lets the node join; nil if it is another action.
    static func joiningName(in action: Action) -> NodeName? {
        if case .call(.join(let node)) = action { node.name } else { nil }
    }

    /// Returns the first application of entries among actions; nil if there is none.
    static func application(in actions: [Action]) -> ClusterNode.EntriesToApply? {
        actions.lazy.compactMap { if case .apply(let application) = $0 { application } else { nil } }.first
    }

    // MARK: Beginnings

    /// Lets the node begin the log, and become ready. The positions 1 and 2 are applied.
    mutating func becomeReady() throws {
        fireTimer()
        endJoin()
        endRenewal(with: Self.view([Self.a: 0], head: 1))
        let appends = try endApplication(endRead([SampleCluster.entry(of: Self.a, .joined)], from: 1))
        #expect(appends == [.call(.append(SampleCluster.entry(of: Self.a, sequence: 2, Self.initialState(.empty))))])
        endAwait(head: 1)
        try endApplication(endAppend(at: 2))
        #expect(node.readiness(at: now) == .ready)
        #expect(node.mayBeginBatch)
    }

    /// Lets the node become ready, and hear that b is live.
    mutating func becomeReadyBesideB() throws {
        try becomeReady()
        pass(milliseconds: 999)
        fireTimer()
        endRenewal(with: Self.view([Self.a: 2, Self.b: 2], head: 2))
    }
}
