import CarillonCore
import CarillonSession
import CarillonWire
import Testing

/// PointReadBatch that stand one behind the other are read together.
struct InquiryRunTests {
    private let game = AppID("com.example.game")!
    private let device = DeviceReference.id(DeviceID(rawValue: 7))

    /// What a session that has read the LOOKUP 3 reads of what comes behind it: the ids, and whether that was all.
    private func run(
        limits: SessionLimits = SessionLimits(), limit: Int = 100, _ write: (inout FrameWriter) -> Void
    ) throws -> (ids: [UInt64], isAll: Bool) {
        var client = ScriptedClient(limits: limits)
        try client.enter(phase: "open")
        var writer = FrameWriter()
        writer.request(.lookup(Lookup(app: game, device: device)), id: 3)
        let first = writer.take()
        guard case .pointRead = first.withUnsafeBytes({ client.session.received($0, at: client.now) }).step else {
            Issue.record("a lookup is an pointRead")
            return ([], false)
        }
        write(&writer)
        let bytes = writer.take()
        var ids: [UInt64] = []
        let now = client.now
        let read = bytes.withUnsafeBytes { bytes in
            client.session.receivedPointReads(bytes, like: .lookup, of: game, at: now, limit: limit) {
                _, id, deadline in
                ids.append(id)
                #expect(deadline == nil)
            }
        }
        #expect(client.session.requestsInFlight == 1 + ids.count)
        #expect(client.session.output.bytes.isEmpty)
        return (ids, read == bytes.count)
    }

    private func lookup(_ id: UInt64, _ app: AppID? = nil, _ writer: inout FrameWriter) {
        writer.request(.lookup(Lookup(app: app ?? game, device: device)), id: id)
    }

    @Test func allOfOneKindAndApp() throws {
        #expect(try run { for id in [4, 5, 9] as [UInt64] { lookup(id, nil, &$0) } } == ([4, 5, 9], true))
        #expect(try run { _ in } == ([], true))
    }

    @Test func untilSomethingElseComes() throws {
        let other = try #require(AppID("com.example.other"))
        let strangers: [(inout FrameWriter) -> Void] = [
            { lookup(5, other, &$0) },
            { $0.request(.messageStatus(MessageQuery(app: game, id: MessageID(rawValue: 1))), id: 5) },
            { $0.ping(Ping(isAcknowledgement: false, payload: 1)) },
            { $0.raw([0, 0, 0, 1]) },
            // An id that was, bytes that are missing, and a payload that is none.
            { lookup(4, nil, &$0) },
            {
                lookup(5, nil, &$0); $0.truncate(to: $0.bytes.count - 1)
            },
            { $0.raw([0, 0, 0, 1, 1, 0, 0, 0x13, 0, 0, 0, 0, 0, 0, 0, 5, 0]) },
        ]
        for stranger in strangers {
            let found = try run { writer in
                lookup(4, nil, &writer)
                stranger(&writer)
            }
            #expect(found == ([4], false))
        }
    }

    @Test func noMoreThanMayBe() throws {
        func many(_ writer: inout FrameWriter) { for id in 4...20 as ClosedRange<UInt64> { lookup(id, nil, &writer) } }
        #expect(try run(limit: 3, many) == ([4, 5, 6], false))
        var limits = SessionLimits()
        limits.requestsInFlight = 3
        #expect(try run(limits: limits, many) == ([4, 5], false))
    }
}
