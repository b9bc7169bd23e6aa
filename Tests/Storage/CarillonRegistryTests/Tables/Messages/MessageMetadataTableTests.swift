import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// Labels, senders and traces of messages: that they are stored, and removed with their messages.
struct MessageMetadataTableTests {
    private let scratch = RegistryDirectory()

    private func end(_ registry: LMDBRegistry) throws {
        #expect(try registry.verify() == [])
        registry.close()
    }

    private func status(_ number: UInt64, in registry: LMDBRegistry) throws -> MessageStatus {
        try #require(try registry.status(of: messageID(number), app: game))
    }

    private func ids(_ filter: MessageFilter, in registry: LMDBRegistry) throws -> [UInt64] {
        try registry.messages(of: game, before: nil, limit: 100, filter: filter).rows.map(\.id.rawValue)
    }

    @Test func `a message has its label and its sender`() throws {
        let registry = try scratch.open()
        try registry.apply([
            .register(1), .accept(.labelled("Raid at 21:00"), sender: "live-ops", now: timestamp(1_000)),
            .accept(.labelled(nil), sender: "shop", now: timestamp(1_000)),
            .accept(.labelled(nil), now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .delivered)]),
        ])
        let found = try [status(1, in: registry), status(2, in: registry), status(3, in: registry)]
        #expect(found.map(\.label) == ["Raid at 21:00", nil, nil])
        #expect(found.map(\.sender) == ["live-ops", "shop", nil])
        let rows = try registry.messages(of: game, before: nil, limit: 9).rows
        #expect(rows.map(\.label) == [nil, nil, "Raid at 21:00"])
        #expect(rows.map(\.sender) == [nil, "shop", "live-ops"])
        #expect(rows.map(\.delivered) == [0, 0, 1])
        #expect(rows.map(\.failed) == [0, 0, 0])
        try end(registry)
    }

    @Test func `a message has its trace and so have its events`() throws {
        let trace = try #require(TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
        var traced = Message.labelled(nil, key: 7)
        traced.traceParent = trace
        let registry = try scratch.open()
        try registry.apply([
            .register(1), .accept(traced, sender: "live-ops", now: timestamp(1_000)),
            .accept(.labelled("Raid"), now: timestamp(1_000)), .recordOutcomes(of: 1, [(0, .gaveUp)]),
            .recordOutcomes(of: 2, [(0, .delivered)]),
        ])
        #expect(try status(1, in: registry).traceParent == trace)
        #expect(try status(1, in: registry).sender == "live-ops")
        #expect(try status(2, in: registry).traceParent == nil)
        let events = try registry.events(after: 0, limit: 100, filter: EventFilter()).events
        #expect(events.filter { $0.message == messageID(1) }.map(\.traceParent) == [trace, trace])
        #expect(events.filter { $0.message == messageID(2) }.map(\.traceParent) == [nil])
        try end(registry)
    }

    @Test func `retention removes the metadata with its message`() throws {
        let registry = try scratch.open()
        try registry.apply([
            .register(1), .accept(.labelled("Raid"), sender: "live-ops", now: timestamp(1_000)),
            .accept(.labelled(nil), sender: "shop", now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .delivered)], now: 2_000),
        ])
        let late = 2_001 + RegistrySettings.Retention().messageMilliseconds
        while try registry.sweep(now: timestamp(late)) == .incomplete {}
        registry.close()
        try scratch.edit { environment, tables in
            let found = try environment.read { (transaction) throws in
                try (1...2).map { try tables.messageMetadata.get(messageID($0), in: transaction) }
            }
            #expect(found == [MessageMetadata(), MessageMetadata(sender: "shop")])
        }
        try end(try scratch.open())
    }

    @Test func `a database without the table has no labels and no senders`() throws {
        let first = try scratch.open()
        try first.apply([.register(1), .accept(.labelled("Raid"), sender: "live-ops", now: timestamp(1_000))])
        first.close()
        let old = try scratch.copy(without: "origins")
        let reader = try LMDBRegistry(reading: old.path)
        #expect(try status(1, in: reader).label == nil)
        #expect(try status(1, in: reader).sender == nil)
        #expect(try reader.verify() == [])
        #expect(try ids(MessageFilter(sender: "live-ops"), in: reader) == [])
        reader.close()
        let registry = try old.open()
        #expect(try registry.messages(of: game, before: nil, limit: 9).rows.map(\.sender) == [nil])
        try registry.apply(.accept(.labelled("Sale"), sender: "shop", now: timestamp(1_000)))
        #expect(try ids(MessageFilter(sender: "shop"), in: registry) == [2])
        registry.close()
    }

    @Test func `corrupt metadata fails only what reads it`() throws {
        let first = try scratch.open()
        try first.apply([
            .register(1), .accept(.labelled("Raid"), sender: "live-ops", now: timestamp(1_000)),
            .accept(.labelled("Sale"), sender: "shop", now: timestamp(1_000)),
        ])
        first.close()
        try scratch.edit { environment, tables in
            let database = try #require(tables.messageMetadata.database)
            try environment.write { transaction in
                let key: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
                try transaction.put(([1, 9, 9] as [UInt8]).span, for: key.span, in: database)
            }
        }
        let registry = try scratch.open()
        #expect(throws: RegistryError.self) { try status(1, in: registry) }
        #expect(try status(2, in: registry).sender == "shop")
        #expect(try registry.messages(of: game, before: nil, limit: 1).rows.map(\.label) == ["Sale"])
        #expect(try registry.apply(.recordOutcomes(of: 1, [(0, .delivered)])) == .outcomesRecorded(isFinished: true))
        let again = Change.resend(
            ResendRequest(app: game, id: messageID(1), outcomes: [.delivered]), now: timestamp(3_000))
        #expect(throws: RegistryError.self) { try registry.apply(again) }
        #expect(try registry.apply(.recordOutcomes(of: 2, [(0, .delivered)])) == .outcomesRecorded(isFinished: true))
        registry.close()
    }
}
