import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit
import Synchronization
import Testing

@testable import CarillonRegistry

/// A fan-out whose pages several replicas claim in blocks.
struct SharedFanOutTests {
    /// A cluster of three replicas, with devices that fill more than three pages.
    private struct Fleet {
        let cluster: TestCluster
        let a: TestReplica, b: TestReplica, c: TestReplica
        private(set) var devices = 0

        init(seed: UInt64) throws {
            cluster = TestCluster(SimulatedDeployment(seed: seed))
            (a, b, c) = (cluster.replicas[0], cluster.replicas[1], cluster.replicas[2])
            for replica in cluster.replicas { try replica.start() }
            try cluster.waitUntilReady()
            // A form that came later is written when every node has said that it knows it.
            try cluster.wait(until: "all nodes know the newest format of entries") {
                cluster.replicas.allSatisfy { $0.appendsNewestFormat }
            }
            let count = 3 * RegistryLimits.recipientsPerPage + 10
            while devices < count {
                let batch = devices..<min(count, devices + 1_000)
                let changes = batch.map { number in
                    let token = DeviceToken([UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)])!
                    return Change.register(
                        Registration(
                            app: game, address: DeviceAddress(environment: .production, kind: .device, token: token)),
                        now: timestamp(1_000))
                }
                for answer in try a.applyEach(changes) { _ = try answer.get() }
                devices = batch.upperBound
            }
        }

        /// Accepts a bulk message to all devices at a replica.
        func send(at replica: TestReplica, pace: UInt32? = nil) throws -> MessageID {
            let content = MessageContent(app: game, pushType: .alert, payload: Array(#"{"aps":{}}"#.utf8))
            var message = Message(content: content, audience: .all)
            (message.lane, message.pace) = (.bulk, pace)
            guard case .accepted(let acceptance, _?) = try replica.apply(.accept(message, now: timestamp(5_000))) else {
                throw ScenarioFailure(description: "the message is not accepted")
            }
            return acceptance.id
        }

        func claim(_ pages: UInt32, of message: MessageID, by replica: TestReplica) throws -> PageClaim {
            guard case .pagesClaimed(let claim) = try replica.apply(.claimPages(message, pages: pages)) else {
                throw ScenarioFailure(description: "a claim has another answer")
            }
            return claim
        }

        /// Delivers all pending recipients of pages, and ends their block.
        func send(_ block: PageBlock, of message: MessageID, by replica: TestReplica) throws -> ChangeAnswer {
            try cluster.wait(until: "\(replica.name) has applied all") {
                cluster.replicas.allSatisfy { !$0.isReady || $0.position <= replica.position }
            }
            for number in block.first..<UInt32(block.end) {
                guard let page = try replica.registry?.pendingRecipients(of: message, page: number) else { continue }
                let entries = page.recipients.map {
                    OutcomeRecord.RecipientEnd(position: $0.position, outcome: .delivered)
                }
                guard !entries.isEmpty else { continue }
                let record = OutcomeRecord(
                    message: message, page: number, entries: entries, addressed: page.addressed)
                _ = try replica.apply(.recordOutcomes(record, now: timestamp(6_000)))
            }
            return try replica.apply(.endBlock(message, blockAt: block.first, now: timestamp(7_000)))
        }

        func status(of message: MessageID) throws -> MessageStatus? {
            try a.registry?.status(of: message, app: game)
        }
    }

    @Test func severalNodesSendAndTheLastBlockFinishesTheMessage() throws {
        let fleet = try Fleet(seed: TestSeeds.one())
        defer { fleet.cluster.end() }
        let (a, b, c) = (fleet.a, fleet.b, fleet.c)
        let message = try fleet.send(at: a)
        // Only the node that has accepted it begins to share it.
        #expect(try fleet.claim(1, of: message, by: b) == PageClaim())
        let first = try fleet.claim(1, of: message, by: a)
        let second = try fleet.claim(2, of: message, by: b)
        let third = try fleet.claim(9, of: message, by: c)
        let fourth = try fleet.claim(1, of: message, by: a)
        let blocks = [PageBlock(first: 0, count: 1), PageBlock(first: 1, count: 2), PageBlock(first: 3, count: 1)]
        #expect([first, second, third, fourth].map(\.claimed) == blocks.map { [$0] } + [[]])
        #expect([first, second, third].map(\.left) == [3, 1, 0])
        #expect(try [a, b].map { try $0.blocks(of: message) } == [first.claimed, second.claimed])

        // The last block may be any, and a block of another member is not ended.
        let foreign = Change.endBlock(message, blockAt: 1, now: timestamp(7_000))
        let ends = [
            try fleet.send(third.claimed[0], of: message, by: c), try fleet.send(first.claimed[0], of: message, by: a),
            try c.apply(foreign), try fleet.send(second.claimed[0], of: message, by: b), try b.apply(foreign),
        ]
        #expect(ends == [false, false, false, true, false].map { ChangeAnswer.finished(isFinished: $0) })
        try fleet.cluster.requireEqualReplicas()
        let status = try fleet.status(of: message)
        #expect(status?.state == .finished)
        #expect(status?.outcomes == [.delivered: UInt64(fleet.devices)])
        #expect(try a.rows().keys.contains { $0.hasPrefix("claims ") } == false)
        #expect(try a.finishedEvents(of: message) == 1)
    }

    @Test func theBlocksOfANodeThatIsGoneAreClaimedByOthers() throws {
        let fleet = try Fleet(seed: TestSeeds.one())
        defer { fleet.cluster.end() }
        let (a, b) = (fleet.a, fleet.b)
        let message = try fleet.send(at: a)
        _ = try fleet.claim(2, of: message, by: a)
        _ = try fleet.claim(2, of: message, by: b)
        #expect(try b.registry?.freeMessages(limit: 10) == [])
        a.close()
        try fleet.cluster.wait(until: "its pages are free") {
            if case .shared(_, pagesLeft: 2)? = try b.registry?.freeMessages(limit: 10).first { true } else { false }
        }
        let taken = try fleet.claim(1, of: message, by: b)
        #expect(taken.claimed == [PageBlock(first: 0, count: 2)])
        #expect(taken.left == 0)
        _ = try fleet.send(PageBlock(first: 0, count: 2), of: message, by: b)
        #expect(try fleet.send(PageBlock(first: 2, count: 2), of: message, by: b) == .finished(isFinished: true))
    }

    @Test func aWholeMessageOfANodeThatIsGoneIsClaimedAndShared() throws {
        let fleet = try Fleet(seed: TestSeeds.one())
        defer { fleet.cluster.end() }
        let (a, b, c) = (fleet.a, fleet.b, fleet.c)
        let message = try fleet.send(at: a)
        a.close()
        try fleet.cluster.wait(until: "it is free") {
            try b.registry?.freeMessages(limit: 10) == [.whole(message)]
        }
        guard case .claimed(let entry?) = try b.apply(.claim(message)) else {
            throw ScenarioFailure(description: "it is not claimed")
        }
        #expect(entry.id == message)
        #expect(try fleet.claim(2, of: message, by: b).claimed == [PageBlock(first: 0, count: 2)])
        #expect(try c.apply(.claim(message)) == .claimed(nil))
        #expect(try fleet.claim(9, of: message, by: c).claimed == [PageBlock(first: 2, count: 2)])
    }

    @Test func aPaceLeavesOneSenderAndTheOtherNodesReleaseTheirBlocks() throws {
        let fleet = try Fleet(seed: TestSeeds.one())
        defer { fleet.cluster.end() }
        let (a, b, c) = (fleet.a, fleet.b, fleet.c)
        let message = try fleet.send(at: a)
        _ = try fleet.claim(1, of: message, by: a)
        _ = try fleet.claim(1, of: message, by: b)
        let pace = UpdateMessageRequest(app: game, id: message, messageUpdate: .pace(100))
        _ = try c.apply(.updateMessage(pace, now: timestamp(5_500)))
        try fleet.cluster.requireEqualReplicas()
        #expect(a.wasDisplaced == [false])
        #expect(b.wasDisplaced == [true])
        #expect(try a.blocks(of: message) == [PageBlock(first: 0, count: 1)])
        #expect(try b.blocks(of: message) == nil)
        // Before b has released its pages, no node claims.
        #expect(try fleet.claim(4, of: message, by: c).claimed == [])
        #expect(try b.apply(.releasePages(message)) == .applied)
        #expect(try fleet.claim(4, of: message, by: c).claimed == [])
        #expect(
            try fleet.claim(4, of: message, by: a).claimed == [
                PageBlock(first: 1, count: 1), PageBlock(first: 2, count: 2),
            ])
    }

    @Test func aMessageWithAPaceIsNotShared() throws {
        let fleet = try Fleet(seed: TestSeeds.one())
        defer { fleet.cluster.end() }
        let message = try fleet.send(at: fleet.a, pace: 100)
        let claim = try fleet.claim(1, of: message, by: fleet.a)
        #expect(claim.outbound?.id == message)
        #expect(claim.claimed == [])
        #expect(try fleet.a.messagesToSend() == [message])
        #expect(try fleet.a.blocks(of: message) == nil)
        #expect(try fleet.claim(1, of: message, by: fleet.b) == PageClaim())
    }

    @Test func aPausedMessageIsNotClaimedAndItsBlocksStay() throws {
        let fleet = try Fleet(seed: TestSeeds.one())
        defer { fleet.cluster.end() }
        let (a, b) = (fleet.a, fleet.b)
        let message = try fleet.send(at: a)
        _ = try fleet.claim(1, of: message, by: a)
        _ = try fleet.claim(1, of: message, by: b)
        let update = { UpdateMessageRequest(app: game, id: message, messageUpdate: $0) }
        _ = try b.apply(.updateMessage(update(.pause), now: timestamp(5_500)))
        #expect(try fleet.claim(1, of: message, by: fleet.c) == PageClaim())
        _ = try b.apply(.updateMessage(update(.resume), now: timestamp(5_600)))
        try fleet.cluster.requireEqualReplicas()
        #expect(try a.blocks(of: message) == [PageBlock(first: 0, count: 1)])
        #expect(try b.blocks(of: message) == [PageBlock(first: 1, count: 1)])
    }
}

extension TestReplica {
    /// Submits changes one by one, and waits for all answers.
    func applyEach(_ changes: [Change]) throws -> [Result<ChangeAnswer, RegistryError>] {
        let answers = Mutex<[Result<ChangeAnswer, RegistryError>]>([])
        registry?.submitEach(changes.map { ($0, nil) }) { results in answers.withLock { $0 = results } }
        try wait(until: "\(name) answers") { answers.withLock { !$0.isEmpty } }
        return answers.withLock { $0 }
    }

    /// Returns the blocks of a message that the node sends; nil if it sends no page, or the whole message.
    func blocks(of message: MessageID) throws -> [PageBlock]? {
        guard let registry else { return nil }
        for queue in try registry.outboxQueues() {
            let page = try registry.unfinishedMessages(in: queue, after: nil, limit: 100)
            if let outbound = page.messages.first(where: { $0.id == message }) { return outbound.share?.blocks }
        }
        return nil
    }

    /// The list of message updates: true for each one that left this node's pages to another sender.
    var wasDisplaced: [Bool] {
        applied.withLock { entries in
            entries.flatMap(\.changes).compactMap { applied in
                if case .updateMessage = applied.change { applied.mustGiveUp } else { nil }
            }
        }
    }

    /// Returns the number of events that say that a message has finished.
    func finishedEvents(of message: MessageID) throws -> Int {
        guard let registry else { return 0 }
        return try registry.readSnapshot { transaction, tables in
            var count = 0
            _ = try tables.events.forEach(after: 0, in: transaction) { event in
                if event.kind == .messageFinished, event.message == message { count += 1 }
                return .proceed
            }
            return count
        }
    }
}
