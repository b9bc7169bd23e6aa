import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

@testable import CarillonRegistry

/// A fan-out whose pages several replicas claim in blocks.
struct NodeLoopFanOutTests {
    /// The blocks of a message that `claimAllPages` leaves to the nodes a, b and c.
    private static let blocks = [
        PageBlock(first: 0, count: 1), PageBlock(first: 1, count: 2), PageBlock(first: 3, count: 1),
    ]

    /// Claims one page for a, two for b, and the rest for c.
    private func claimAllPages(of message: MessageID, in fleet: Fleet) throws -> [PageClaim] {
        [
            try fleet.claim(1, of: message, by: fleet.a), try fleet.claim(2, of: message, by: fleet.b),
            try fleet.claim(9, of: message, by: fleet.c),
        ]
    }

    @Test func `several nodes claim the pages of a message`() throws {
        let fleet = try Fleet(seed: TestSeeds.one())
        defer { fleet.cluster.end() }
        let a = fleet.a
        let b = fleet.b
        let message = try fleet.send(at: a)
        // Only the node that has accepted the message begins to share it.
        #expect(try fleet.claim(1, of: message, by: b) == PageClaim())
        let claims = try claimAllPages(of: message, in: fleet)
        #expect(claims.map(\.claimed) == Self.blocks.map { [$0] })
        #expect(claims.map(\.pagesLeft) == [3, 1, 0])
        #expect(try fleet.claim(1, of: message, by: a).claimed == [])
        #expect(try [a, b].map { try $0.blocks(of: message) } == [[Self.blocks[0]], [Self.blocks[1]]])
    }

    /// The last block may be any, and a block of another member is not ended.
    @Test func `the last block that ends finishes the message`() throws {
        let fleet = try Fleet(seed: TestSeeds.one())
        defer { fleet.cluster.end() }
        let a = fleet.a
        let b = fleet.b
        let c = fleet.c
        let message = try fleet.send(at: a)
        _ = try claimAllPages(of: message, in: fleet)
        let foreign = Change.endBlock(message, blockAt: 1, now: timestamp(7_000))
        let ends = [
            try fleet.send(Self.blocks[2], of: message, by: c), try fleet.send(Self.blocks[0], of: message, by: a),
            try c.apply(foreign), try fleet.send(Self.blocks[1], of: message, by: b), try b.apply(foreign),
        ]
        #expect(ends == [false, false, false, true, false].map { ChangeAnswer.messageChecked(isFinished: $0) })
        try fleet.cluster.requireEqualReplicas()
        let status = try fleet.status(of: message)
        #expect(status?.state == .finished)
        #expect(status?.outcomes == [.delivered: UInt64(fleet.devices)])
        #expect(try a.rows().keys.contains { $0.hasPrefix("claims ") } == false)
        #expect(try a.finishedEvents(of: message) == 1)
    }

    @Test func `the blocks of a node that is gone are claimed by another node`() throws {
        let fleet = try Fleet(seed: TestSeeds.one())
        defer { fleet.cluster.end() }
        let a = fleet.a
        let b = fleet.b
        let message = try fleet.send(at: a)
        _ = try fleet.claim(2, of: message, by: a)
        _ = try fleet.claim(2, of: message, by: b)
        #expect(try b.registry?.claimableMessages(limit: 10) == [])
        a.close()
        try fleet.cluster.wait(until: "its pages are free") {
            guard case .shared(_, pagesLeft: 2)? = try b.registry?.claimableMessages(limit: 10).first else {
                return false
            }
            return true
        }
        let taken = try fleet.claim(1, of: message, by: b)
        #expect(taken.claimed == [PageBlock(first: 0, count: 2)])
        #expect(taken.pagesLeft == 0)
        _ = try fleet.send(PageBlock(first: 0, count: 2), of: message, by: b)
        #expect(
            try fleet.send(PageBlock(first: 2, count: 2), of: message, by: b) == .messageChecked(isFinished: true))
    }

    @Test func `a whole message of a node that is gone is claimed and shared`() throws {
        let fleet = try Fleet(seed: TestSeeds.one())
        defer { fleet.cluster.end() }
        let a = fleet.a
        let b = fleet.b
        let c = fleet.c
        let message = try fleet.send(at: a)
        a.close()
        try fleet.cluster.wait(until: "it is free") {
            try b.registry?.claimableMessages(limit: 10) == [.whole(message)]
        }
        guard case .claimed(let entry?) = try b.apply(.claim(message)) else {
            throw ScenarioFailure(description: "it is not claimed")
        }
        #expect(entry.id == message)
        #expect(try fleet.claim(2, of: message, by: b).claimed == [PageBlock(first: 0, count: 2)])
        #expect(try c.apply(.claim(message)) == .claimed(nil))
        #expect(try fleet.claim(9, of: message, by: c).claimed == [PageBlock(first: 2, count: 2)])
    }

    @Test func `a pace leaves one sender and the other nodes release their blocks`() throws {
        let fleet = try Fleet(seed: TestSeeds.one())
        defer { fleet.cluster.end() }
        let a = fleet.a
        let b = fleet.b
        let c = fleet.c
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
        #expect(try b.apply(.releaseBlocks(message)) == .applied)
        #expect(try fleet.claim(4, of: message, by: c).claimed == [])
        #expect(
            try fleet.claim(4, of: message, by: a).claimed == [
                PageBlock(first: 1, count: 1), PageBlock(first: 2, count: 2),
            ])
    }

    @Test func `a message with a pace is not shared`() throws {
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

    @Test func `a paused message is not claimed and its blocks stay`() throws {
        let fleet = try Fleet(seed: TestSeeds.one())
        defer { fleet.cluster.end() }
        let a = fleet.a
        let b = fleet.b
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
