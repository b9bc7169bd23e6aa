import CarillonCluster
import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The claims of messages and their pages, as the changes of the members a and b make them.
struct ClaimApplierTests {
    private let scratch = RegistryDirectory()
    private let message = messageID(1)

    /// A source of entries of the members a and b, which are both live. Each entry has one change.
    private struct Entries {
        let context: WriteContext
        private static let live: LiveMembers = {
            var live = LiveMembers()
            for (incarnation, name) in [(1, "a"), (2, "b")] as [(UInt64, String)] {
                let member = Member(node: NodeName(name)!, incarnation: incarnation)
                live.apply(LogEntry(id: LogEntry.ID(member: member, sequence: 1), format: 1, content: .joined)!)
            }
            return live
        }()

        /// Applies a change of a member, whose incarnation is 1 for a and 2 for b.
        @discardableResult
        func apply(
            _ change: Change, by member: UInt64, in transaction: inout WriteTransaction
        ) throws -> ChangeAnswer {
            context.storedClaims.beginEntry(of: StoredClaims.Claimant(incarnation: member, live: Self.live))
            return try ChangeApplier(context: context).apply(change, in: &transaction)
        }

        @discardableResult
        func claimPages(
            _ pages: UInt32, by member: UInt64, in transaction: inout WriteTransaction
        ) throws -> PageClaim {
            let change = Change.claimPages(messageID(1), pages: pages)
            guard case .pagesClaimed(let claim) = try apply(change, by: member, in: &transaction) else {
                throw RegistryError.corrupted("not an answer to a claim of pages")
            }
            return claim
        }
    }

    private let a: UInt64 = 1
    private let b: UInt64 = 2

    /// Registers devices (4,096 are a page), and runs `body` with a message to all of them that a has accepted.
    private func withMessage(
        devices: Int, lane: Lane = .bulk, _ body: (Entries, inout WriteTransaction) throws -> Void
    ) throws {
        let registry = try scratch.open()
        try registry.registerDevices(1..<devices + 1)
        registry.close()
        try scratch.edit { environment, tables in
            let entries = Entries(context: WriteContext(tables: tables, options: LMDBRegistry.Options()))
            try environment.write { transaction in
                var sent = Message.sample(to: .all)
                sent.lane = lane
                try entries.apply(.accept(sent, now: timestamp(1_000)), by: a, in: &transaction)
                try body(entries, &transaction)
            }
        }
    }

    @Test func `the member that has accepted a message holds it as a whole`() throws {
        try withMessage(devices: 1) { (entries, transaction) throws in
            guard case .claimed(let own) = try entries.apply(.claim(message), by: a, in: &transaction) else {
                Issue.record("not an answer to a claim")
                return
            }
            #expect(own?.id == message)
            #expect(try entries.apply(.claim(message), by: b, in: &transaction) == .claimed(nil))
        }
    }

    @Test func `members share the pages of a large message`() throws {
        try withMessage(devices: 9_000) { (entries, transaction) throws in
            let first = try entries.claimPages(2, by: a, in: &transaction)
            #expect(first.claimed == [PageBlock(first: 0, count: 2)])
            #expect(first.pagesLeft == 1)
            let second = try entries.claimPages(2, by: b, in: &transaction)
            #expect(second.claimed == [PageBlock(first: 2, count: 1)])
            #expect(second.pagesLeft == 0)
            #expect(try entries.claimPages(1, by: a, in: &transaction).claimed == [])
        }
    }

    @Test func `a member that does not hold a whole message does not share it`() throws {
        try withMessage(devices: 9_000) { (entries, transaction) throws in
            #expect(try entries.claimPages(1, by: b, in: &transaction) == PageClaim())
        }
    }

    @Test(arguments: [(4_000, Lane.bulk), (9_000, .interactive)])
    func `a small or interactive message stays whole`(devices: Int, lane: Lane) throws {
        try withMessage(devices: devices, lane: lane) { (entries, transaction) throws in
            let claim = try entries.claimPages(1, by: a, in: &transaction)
            #expect(claim.outbound?.id == message)
            #expect(claim.claimed == [])
        }
    }

    @Test func `pages that are released are claimed by the other member`() throws {
        try withMessage(devices: 9_000) { (entries, transaction) throws in
            try entries.claimPages(3, by: a, in: &transaction)
            #expect(try entries.claimPages(1, by: b, in: &transaction).claimed == [])
            #expect(try entries.apply(.releaseBlocks(message), by: a, in: &transaction) == .applied)
            let claim = try entries.claimPages(1, by: b, in: &transaction)
            #expect(claim.claimed == [PageBlock(first: 0, count: 3)])
        }
    }

    @Test func `the end of the last block finishes a message`() throws {
        try withMessage(devices: 9_000) { (entries, transaction) throws in
            try entries.claimPages(2, by: a, in: &transaction)
            try entries.claimPages(1, by: b, in: &transaction)
            let ends = [
                try entries.apply(end(ofBlockAt: 0), by: a, in: &transaction),
                try entries.apply(end(ofBlockAt: 2), by: b, in: &transaction),
            ]
            #expect(ends == [.messageChecked(isFinished: false), .messageChecked(isFinished: true)])
            let claims = try entries.context.storedClaims.claims(of: message, in: transaction)
            #expect(claims == nil)
        }
    }

    private func end(ofBlockAt first: UInt32) -> Change {
        .endBlock(message, blockAt: first, now: timestamp(2_000))
    }
}
