import CarillonCore
import Testing

@testable import CarillonCluster

/// The behaviour of one node, as transcripts of events and actions.
struct ClusterNodeTests {
    typealias Action = ClusterNode.Action

    private static let log = UUIDBytes(high: 1, low: 1)
    private static let a = Member(node: NodeName("a")!, incarnation: 1)
    private static let b = Member(node: NodeName("b")!, incarnation: 2)

    private var node: ClusterNode
    private var now: Uptime = 1_000

    init() { node = Self.makeNode() }

    private static func makeNode(_ replica: ClusterNode.Replica = ClusterNode.Replica()) -> ClusterNode {
        var options = ClusterNode.Options(name: a.node, replica: UUIDBytes(high: 9, low: 9))
        options.parameters = [7]
        return ClusterNode(options: options, replica: replica)
    }

    private static func entry(  // style: unlabelled: a row of the log
        _ member: Member, _ sequence: UInt64, _ content: LogEntry.Content, format: UInt16 = 1
    ) -> LogEntry {
        LogEntry(id: LogEntry.ID(member: member, sequence: sequence), format: format, content: content)!
    }

    private static func initialState(_ kind: InitialState.InitialStateKind, _ parameters: [UInt8] = [7])
        -> LogEntry.Content
    {
        .began(InitialState(kind: kind, parameters: parameters)!)
    }

    private static func view(
        _ members: [(Member, LogPosition)], head: LogPosition, snapshots: [Snapshot] = []
    ) -> ClusterView {
        ClusterView(
            log: log, head: LogHead(position: head, trimmed: 0),
            nodes: members.map { member, applied in
                NodeStatus(
                    progress: NodeProgress(
                        member: member, applied: applied, hash: UUIDBytes(high: 0, low: applied.number),
                        leaseMilliseconds: 4_000,
                        address: "", version: "", newestFormat: 1), renewals: 1, silenceMilliseconds: 0, isOver: false)
            }, snapshots: snapshots)
    }

    /// Brings an event to the node a millisecond later, and returns the node's actions.
    private mutating func event(_ body: (inout ClusterNode, Uptime) -> Void) -> [Action] {
        now += 1
        body(&node, now)
        return node.takeActions()
    }

    /// Applies entries, with the position as the hash, and returns the node's actions.
    private mutating func apply(_ application: ClusterNode.Application, urgent: Set<LogPosition> = []) -> [Action] {
        let hashes = application.entries.indices.map { index in
            let position = LogPosition(application.first.number + UInt64(index))
            return RunningHash(position: position, value: UUIDBytes(high: 0, low: position.number))
        }
        return event { $0.entriesApplied(ClusterNode.Applied(hashes: hashes, urgent: urgent), at: $1) }
    }

    private mutating func join(_ member: Member = a, at position: LogPosition = 1) -> [Action] {
        event { $0.joinEnded(.success(JoinedNode(member: member, position: position, log: Self.log)), at: $1) }
    }

    private mutating func read(_ entries: [LogEntry], from first: LogPosition) -> [Action] {
        let last = LogPosition(first.number + UInt64(entries.count) - 1)
        return event { node, now in
            let head = LogHead(position: last, trimmed: 0)
            node.readEnded(.success(LogPage(first: first, entries: entries, head: head)), at: now)
        }
    }

    private func firstApplication(_ actions: [Action]) -> ClusterNode.Application? {
        actions.lazy.compactMap { if case .apply(let application) = $0 { application } else { nil } }.first
    }

    /// Lets the node begin its log and become ready: positions 1 and 2 are applied.
    private mutating func becomeReady() throws {
        _ = event { $0.timerFired(at: $1) }
        _ = join()
        _ = event { $0.renewEnded(.success(Self.view([(Self.a, 0)], head: 1)), at: $1) }
        let joined = try #require(firstApplication(read([Self.entry(Self.a, 1, .joined)], from: 1)))
        #expect(apply(joined) == [.append(Self.entry(Self.a, 2, Self.initialState(.empty)))])
        _ = event { $0.newsEnded(.success(LogPage(head: LogHead(position: 1, trimmed: 0))), at: $1) }
        let begun = try #require(firstApplication(event { $0.appendEnded(.success(2), at: $1) }))
        _ = apply(begun)
        #expect(node.readiness(at: now) == .ready)
        #expect(node.mayBeginBatch)
    }

    // MARK: Beginning

    @Test mutating func theFirstNodeBeginsTheLog() throws {
        var readiness = [node.readiness(at: now)]
        #expect((node.actsUntil, node.mayBeginBatch) == (nil, false))
        let joining = event { $0.timerFired(at: $1) }
        guard case .join(let asked)? = joining.first, joining.count == 1 else {
            Issue.record("\(joining)")
            return
        }
        let joined = join()
        let begun = ClusterNode.Action.beginIncarnation(JoinedNode(member: Self.a, position: 1, log: Self.log))
        #expect((asked.name, joined.first, joined.contains(.read(after: 0))) == (Self.a.node, begun, true))
        readiness.append(node.readiness(at: now))
        _ = event { $0.renewEnded(.success(Self.view([(Self.a, 0)], head: 1)), at: $1) }
        let actions = read([Self.entry(Self.a, 1, .joined)], from: 1)
        #expect(actions.contains(.awaitNews(after: 1)))
        let first = try #require(firstApplication(actions))
        #expect(apply(first) == [.append(Self.entry(Self.a, 2, Self.initialState(.empty)))])
        let second = try #require(firstApplication(event { $0.appendEnded(.success(2), at: $1) }))
        #expect(second.entries.map(\.content) == [Self.initialState(.empty)])
        _ = apply(second)
        readiness.append(node.readiness(at: now))
        #expect(readiness == [.joining(nil), .catchingUp(1), .ready])
    }

    @Test mutating func aNodeWithoutDataWaitsForASnapshotOfImportedData() throws {
        _ = event { $0.timerFired(at: $1) }
        _ = join(at: 3)
        let entries = [Self.entry(Self.b, 1, .joined), Self.entry(Self.b, 2, Self.initialState(.imported, [8]))]
        let actions = read(entries, from: 1)
        #expect(firstApplication(actions) == nil)
        #expect(node.readiness(at: now) == .loading)
        let header = SnapshotHeader(member: Self.b, position: 2, hash: UUIDBytes(high: 0, low: 2), format: 1)
        let snapshot = Snapshot(id: SnapshotID(1), header: header, chunks: 1, bytes: 10)
        let view = Self.view([(Self.a, 0), (Self.b, 3)], head: 3, snapshots: [snapshot])
        let loading = event { $0.renewEnded(.success(view), at: $1) }
        #expect(loading.contains(.loadSnapshot(snapshot)))
        var replica = ClusterNode.Replica()
        replica.hash = RunningHash(position: 2, value: UUIDBytes(high: 0, low: 2))
        replica.initialState = .imported
        let loaded = event { $0.snapshotLoaded(.success(replica), at: $1) }
        #expect(loaded.contains(.read(after: 2)))
        #expect(node.replica.log == Self.log)
    }

    @Test mutating func aServerWithDataBeginsTheLogWithThem() throws {
        var replica = ClusterNode.Replica()
        replica.hasData = true
        node = Self.makeNode(replica)
        _ = event { $0.timerFired(at: $1) }
        _ = join()
        _ = event { $0.renewEnded(.success(Self.view([(Self.a, 0)], head: 1)), at: $1) }
        let first = try #require(firstApplication(read([Self.entry(Self.a, 1, .joined)], from: 1)))
        let append = Action.append(Self.entry(Self.a, 2, Self.initialState(.imported)))
        #expect(apply(first).contains(append))
        _ = apply(try #require(firstApplication(event { $0.appendEnded(.success(2), at: $1) })))
        // Others can begin only with its snapshot.
        let renewed = event { node, now in
            node.timerFired(at: now + 1_000)
            node.renewEnded(.success(Self.view([(Self.a, 2)], head: 2)), at: now + 1_001)
        }
        #expect(renewed.contains(.makeSnapshot))
    }

    @Test mutating func aNodeWithDataThatAreNotOfTheLogStops() throws {
        var replica = ClusterNode.Replica()
        replica.hasData = true
        node = Self.makeNode(replica)
        _ = event { $0.timerFired(at: $1) }
        _ = join(at: 3)
        let actions = read(
            [Self.entry(Self.b, 1, .joined), Self.entry(Self.b, 2, Self.initialState(.empty, [8]))], from: 1)
        #expect(actions.contains(.stop(.foreignData)))
        #expect(node.deadline == nil)
    }

    @Test mutating func aDirectoryOfAnotherLogEndsTheNode() {
        var replica = ClusterNode.Replica()
        replica.log = UUIDBytes(high: 2, low: 2)
        node = Self.makeNode(replica)
        _ = event { $0.timerFired(at: $1) }
        #expect(join() == [.stop(.otherLog)])
    }

    @Test mutating func aLogThatHasLostEntriesEndsTheNode() {
        var replica = ClusterNode.Replica()
        replica.log = Self.log
        replica.initialState = .empty
        replica.hash = RunningHash(position: 50)
        node = Self.makeNode(replica)
        _ = event { $0.timerFired(at: $1) }
        #expect(join(at: 40) == [.stop(.logIsOlder(50))])
    }

    // MARK: Batches

    @Test mutating func aBatchIsAnsweredWhenItIsApplied() throws {
        try becomeReady()
        var batch: ClusterNode.BatchID?
        let begun = event { node, now in batch = node.begin([1], deadline: now + 100, at: now) }
        let entry = Self.entry(Self.a, 3, .changes([1]))
        #expect((begun, node.mayBeginBatch) == ([.append(entry)], false))
        let id = try #require(batch)
        // Another node was first: what it appended is applied before.
        let appended = event { $0.appendEnded(.success(4), at: $1) }
        #expect(appended.contains(.read(after: 2)))
        #expect(firstApplication(appended) == nil)
        let other = Self.entry(Self.b, 2, .changes([2]))
        let application = try #require(firstApplication(read([other, entry], from: 3)))
        #expect(application.entries == [other, entry])
        #expect(application.batches == [1: id])
        #expect(apply(application).contains(.finish(id, .applied(4))))
    }

    @Test mutating func anEntryThatWasReadIsNotReadAgain() throws {
        try becomeReady()
        _ = event { node, now in _ = node.begin([1], deadline: now + 100, at: now) }
        let entry = Self.entry(Self.a, 3, .changes([1]))
        let application = try #require(firstApplication(event { $0.appendEnded(.success(3), at: $1) }))
        #expect(application.first == 3)
        #expect(application.entries == [entry])
        // A read that was under way brings it once more.
        #expect(firstApplication(read([entry], from: 3)) == nil)
    }

    @Test mutating func aBatchThatASnapshotSkipsIsUnknown() throws {
        try becomeReady()
        var batch: ClusterNode.BatchID?
        _ = event { node, now in batch = node.begin([1], deadline: now + 100, at: now) }
        let id = try #require(batch)
        let appended = event { $0.appendEnded(.success(40), at: $1) }
        #expect(appended.contains(.read(after: 2)))
        _ = event { $0.readEnded(.failure(.trimmed(through: 50)), at: $1) }
        var replica = ClusterNode.Replica()
        replica.hash = RunningHash(position: 50)
        replica.initialState = .empty
        #expect(event { $0.snapshotLoaded(.success(replica), at: $1) }.contains(.finish(id, .unknown)))
    }

    @Test mutating func anUrgentBatchIsAcknowledgedWhenTheOthersKnow() throws {
        try becomeReady()
        _ = event { node, now in _ = node.begin([1], deadline: now + 100, at: now) }
        let application = try #require(firstApplication(event { $0.appendEnded(.success(3), at: $1) }))
        let applied = apply(application, urgent: [3])
        #expect(!applied.contains(.acknowledge(through: 3)))
        // It asks for the progress of the others long before its lease needs a renewal.
        now += 20
        let asked = event { $0.timerFired(at: $1) }
        #expect(asked.contains { if case .renew(let progress) = $0 { progress.applied == 3 } else { false } })
        let behind = event { $0.renewEnded(.success(Self.view([(Self.a, 3), (Self.b, 2)], head: 3)), at: $1) }
        #expect(!behind.contains(.acknowledge(through: 3)))
        now += 20
        _ = event { $0.timerFired(at: $1) }
        let known = event { $0.renewEnded(.success(Self.view([(Self.a, 3), (Self.b, 3)], head: 3)), at: $1) }
        #expect(known.contains(.acknowledge(through: 3)))
    }

    // MARK: Ends

    @Test mutating func aFencedNodeJoinsAgain() throws {
        try becomeReady()
        #expect(node.actsUntil != nil)
        _ = event { node, now in _ = node.begin([1], deadline: now + 100, at: now) }
        let fenced = event { $0.appendEnded(.failure(.fenced), at: $1) }
        #expect(fenced.contains { if case .finish(_, .refused(.fenced)) = $0 { true } else { false } })
        #expect(fenced.contains(.endIncarnation(Self.a)))
        #expect(node.actsUntil == nil)
        #expect(fenced.contains { if case .join = $0 { true } else { false } })
        let again = Member(node: Self.a.node, incarnation: 5)
        #expect(join(again, at: 9).contains(.read(after: 2)))
        #expect(node.member == again)
    }

    @Test mutating func aNodeMayReadThatItHasJoinedAgainBeforeItIsAnswered() throws {
        try becomeReady()
        _ = event { $0.newsEnded(.success(LogPage(head: LogHead(position: 3, trimmed: 0))), at: $1) }
        let expired = try #require(firstApplication(read([Self.entry(Self.b, 2, .expired(Self.a))], from: 3)))
        #expect(apply(expired).isEmpty)
        // The node joins; the answer is late.
        let again = Member(node: Self.a.node, incarnation: 5)
        _ = event { $0.newsEnded(.success(LogPage(head: LogHead(position: 5, trimmed: 0))), at: $1) }
        let entries = [Self.entry(again, 1, .joined), Self.entry(Self.b, 3, .changes([2]))]
        _ = apply(try #require(firstApplication(read(entries, from: 4))))
        let membership = JoinedNode(member: again, position: 4, log: Self.log)
        #expect(join(again, at: 4).contains(.beginIncarnation(membership)))
        #expect(node.member == again)
    }

    @Test mutating func entriesThatComeWithNewsAreNotReadAgain() throws {
        try becomeReady()
        let entries = [Self.entry(Self.a, 2, Self.initialState(.empty)), Self.entry(Self.b, 2, .changes([2]))]
        // The first is one that this node has appended since it has asked.
        let page = LogPage(first: 2, entries: entries, head: LogHead(position: 3, trimmed: 0))
        let actions = event { $0.newsEnded(.success(page), at: $1) }
        #expect(!actions.contains(.read(after: 2)))
        #expect(actions.contains(.awaitNews(after: 3)))
        #expect(try #require(firstApplication(actions)).entries == [entries[1]])
    }

    @Test mutating func newsThatFindNoRoomAreReadLater() throws {
        try becomeReady()
        func page(_ first: UInt64, _ count: Int) -> LogPage {
            let entries = (0..<count).map { Self.entry(Self.b, first + UInt64($0), .changes([1])) }
            let head = LogHead(position: LogPosition(first + UInt64(count) - 1), trimmed: 0)
            return LogPage(first: LogPosition(first), entries: entries, head: head)
        }
        let limit = ClusterNode.Options(name: Self.a.node, replica: .zero).maximumQueuedEntries
        let first = try #require(firstApplication(event { $0.newsEnded(.success(page(3, 1)), at: $1) }))
        // Fills the queue while the first entry is applied.
        #expect(event { $0.newsEnded(.success(page(4, limit)), at: $1) }.contains(.awaitNews(after: 1_003)))
        let end = LogPosition(UInt64(limit) + 4)
        #expect(!event { $0.newsEnded(.success(page(end.number, 1)), at: $1) }.contains(.awaitNews(after: end)))
        let second = try #require(firstApplication(apply(first)))
        #expect(apply(second).contains(.read(after: LogPosition(end.number - 1))))
    }

    @Test mutating func aNodeThatHasAppliedItsLeaveBeforeItHearsOfTheAppendStops() throws {
        try becomeReady()
        let leaving = event { $0.leave(deadline: $1.later(byMilliseconds: 5_000), at: $1) }
        guard case .append(let left)? = leaving.last(where: { if case .append = $0 { true } else { false } })
        else { return #expect(leaving == []) }
        let page = LogPage(first: 3, entries: [left], head: LogHead(position: 3, trimmed: 0))
        _ = apply(try #require(firstApplication(event { $0.newsEnded(.success(page), at: $1) })))
        #expect(event { $0.appendEnded(.success(3), at: $1) }.contains(.stop(.left)))
    }

    @Test mutating func newsOfALogThatHasGoneBackEndsTheNode() throws {
        try becomeReady()
        _ = event { $0.newsEnded(.success(LogPage(head: LogHead(position: 2, trimmed: 0))), at: $1) }
        let head = LogHead(position: 1, trimmed: 0)
        #expect(event { $0.newsEnded(.success(LogPage(head: head)), at: $1) }.contains(.stop(.logIsOlder(2))))
    }

    @Test mutating func aNodeThatReadsItsExpiryStopsAtOnce() throws {
        try becomeReady()
        _ = event { $0.newsEnded(.success(LogPage(head: LogHead(position: 3, trimmed: 0))), at: $1) }
        let actions = read([Self.entry(Self.b, 2, .expired(Self.a))], from: 3)
        #expect(actions.contains(.endIncarnation(Self.a)))
        #expect(node.actsUntil == nil)
    }

    @Test mutating func aNodeThatHearsNothingIsReadyForASecondAtMost() throws {
        try becomeReady()
        let until = try #require(node.actsUntil)
        #expect(until <= now + 1_000)
        #expect(until > now + 900)
        #expect(node.readiness(at: until) == .ready)
        #expect(node.readiness(at: until + 1) == .behind)
        #expect(node.readiness(at: until + 4_000) == .withoutLease)
    }

    @Test mutating func anEntryOfAnUnknownFormatEndsTheNodeOnceTheEntriesBeforeAreApplied() throws {
        try becomeReady()
        _ = event { $0.newsEnded(.success(LogPage(head: LogHead(position: 4, trimmed: 0))), at: $1) }
        let entries = [Self.entry(Self.b, 2, .changes([2])), Self.entry(Self.b, 3, .changes([2]), format: 2)]
        let application = try #require(firstApplication(read(entries, from: 3)))
        #expect(application.entries.count == 1)
        #expect(apply(application).contains(.stop(.unknownFormat(4, 2))))
    }

    @Test mutating func aNodeLeavesWhenItsCallersAreAnswered() throws {
        try becomeReady()
        _ = event { node, now in _ = node.begin([1], deadline: now + 100, at: now) }
        #expect(event { node, now in node.leave(deadline: now + 1_000, at: now) } == [])
        #expect(node.readiness(at: now) == .leaving)
        #expect(!node.mayBeginBatch)
        let application = try #require(firstApplication(event { $0.appendEnded(.success(3), at: $1) }))
        #expect(apply(application).contains(.append(Self.entry(Self.a, 4, .left))))
        // It applies its own leaving: if it is the last, its directory has everything.
        let left = try #require(firstApplication(event { $0.appendEnded(.success(4), at: $1) }))
        #expect(apply(left).contains(.stop(.left)))
    }

    @Test func aDirectoryOfAClusterServesAloneIfItsNodeWasTheLast() {
        var live = LiveMembers()
        var replica = ClusterNode.Replica()
        #expect(StartRule.decide(replica, live, isInCluster: false) == .alone)
        #expect(StartRule.decide(replica, live, isInCluster: true) == .node)
        live.apply(Self.entry(Self.a, 1, .joined))
        live.apply(Self.entry(Self.b, 1, .joined))
        live.apply(Self.entry(Self.a, 2, .left))
        (replica.log, replica.hash) = (Self.log, RunningHash(position: 3))
        guard case .refused(let text) = StartRule.decide(replica, live, isInCluster: false) else {
            Issue.record("it serves although another node is live")
            return
        }
        #expect(text.contains("b/2"))
        live.apply(Self.entry(Self.b, 2, .left))
        #expect(StartRule.decide(replica, live, isInCluster: false) == .alone)
        #expect(StartRule.separated(replica).hasData)
        #expect(StartRule.separated(replica).log == nil)
    }

    @Test mutating func aNodeThatCannotLeaveStopsAtTheDeadline() throws {
        try becomeReady()
        _ = event { node, now in node.leave(deadline: now + 1_000, at: now) }
        now += 1_000
        #expect(event { $0.timerFired(at: $1) }.contains(.stop(.left)))
    }

    // MARK: Operators

    /// Lets the node become ready, and hear of another one that is live.
    private mutating func becomeReadyBesideB() throws {
        try becomeReady()
        now += 999
        _ = event { $0.timerFired(at: $1) }
        _ = event { $0.renewEnded(.success(Self.view([(Self.a, 2), (Self.b, 2)], head: 2)), at: $1) }
    }

    private mutating func remove(_ name: String) throws -> (ClusterNode.RemovalAnswer, [Action]) {
        let name = try #require(NodeName(name))
        var begun = ClusterNode.RemovalAnswer.refused(.notNow)
        let actions = event { begun = $0.remove(name, number: 5, deadline: $1 + 1_000, at: $1) }
        return (begun, actions)
    }

    @Test mutating func anOperatorRemovesANodeThatIsNotSilent() throws {
        try becomeReadyBesideB()
        let (begun, actions) = try remove("b")
        #expect(begun == .begun(Self.b))
        #expect(actions.contains(.expire(Self.entry(Self.a, 3, .expired(Self.b)), nil)))
        #expect(event { $0.appendEnded(.success(3), at: $1) }.contains(.endRemoval(5, .removed)))
    }

    @Test mutating func aRemovalWaitsForTheAppendThatIsUnderWay() throws {
        try becomeReadyBesideB()
        _ = event { node, now in _ = node.begin([1], deadline: now + 1_000, at: now) }
        let (begun, actions) = try remove("b")
        #expect(begun == .begun(Self.b))
        #expect(!actions.contains { if case .expire = $0 { true } else { false } })
        let after = event { $0.appendEnded(.success(3), at: $1) }
        #expect(after.contains(.expire(Self.entry(Self.a, 4, .expired(Self.b)), nil)))
        #expect(
            event { $0.appendEnded(.failure(.leaseRenewed), at: $1) }.contains(.endRemoval(5, .refused(.leaseRenewed))))
    }

    @Test mutating func aNodeRemovesNeitherItselfNorAnUnknownNode() throws {
        #expect(try remove("b").0 == .refused(.notNow))
        try becomeReadyBesideB()
        #expect(try remove("a").0 == .refused(.itself))
        #expect(try remove("c").0 == .refused(.unknown))
    }

    @Test mutating func aFormThatNotAllNodesCanReadIsNotAppended() throws {
        try becomeReady()
        #expect(node.format == 1)
        var id: ClusterNode.BatchID?
        _ = event { id = $0.begin([1], needing: 2, deadline: $1 + 1_000, at: $1) }
        #expect(id == nil)
        _ = event { id = $0.begin([1], needing: 1, deadline: $1 + 1_000, at: $1) }
        #expect(id != nil)
    }

    @Test mutating func theSilentNodeIsExpired() throws {
        try becomeReady()
        let renewed = { (node: inout ClusterNode, now: Uptime) in
            node.timerFired(at: now)
            node.renewEnded(.success(Self.view([(Self.a, 2), (Self.b, 2)], head: 2)), at: now)
        }
        for _ in 0..<5 {
            now += 999
            #expect(!event(renewed).contains { if case .expire = $0 { true } else { false } })
        }
        now += 999
        let silent = Silence(renewals: 1, milliseconds: 5_000)
        #expect(event(renewed).contains(.expire(Self.entry(Self.a, 3, .expired(Self.b)), silent)))
    }
}
