import CarillonCore
import CarillonSession
import CarillonWire
import Testing

/// Changes that stand one behind the other are read together.
struct ChangeRunTests {
    private let game = AppID("com.example.game")!
    private let device = DeviceReference.id(DeviceID(rawValue: 7))

    /// What a session that has read the UNREGISTER 3 reads of what comes behind it: the changes, the ids, and whether that was all.
    private func run(
        limits: SessionLimits = SessionLimits(), limit: Int = 100, opcodes: [Opcode] = Opcode.served,
        _ write: (inout FrameWriter) -> Void
    ) throws -> (changes: [Change], ids: [UInt64], isAll: Bool) {
        var client = ScriptedClient(limits: limits, opcodes: opcodes)
        try client.enter(phase: "open")
        var writer = FrameWriter()
        unregister(3, nil, &writer)
        let first = writer.take()
        guard case .change = first.withUnsafeBytes({ client.session.received($0, at: client.now) }).step else {
            Issue.record("an UNREGISTER is a change")
            return ([], [], false)
        }
        write(&writer)
        let bytes = writer.take()
        var (changes, ids): ([Change], [UInt64]) = ([], [])
        let now = client.now
        let read = bytes.withUnsafeBytes { bytes in
            client.session.receivedChanges(bytes, of: game, at: now, while: { ids.count < limit }) {
                change, id, deadline in
                changes.append(change)
                ids.append(id)
                #expect(deadline == (id == 50 ? now.uptimeMilliseconds + 50 : nil))
            }
        }
        #expect(client.session.requestsInFlight == 1 + ids.count)
        #expect(client.session.output.bytes.isEmpty)
        return (changes, ids, read == bytes.count)
    }

    private func unregister(_ id: UInt64, _ app: AppID? = nil, _ writer: inout FrameWriter) {
        writer.request(.unregister(Unregistration(app: app ?? game, device: device)), id: id)
    }

    @Test func allSortsOfOneApp() throws {
        let now = ScriptedClient().now.wall
        let (group, topic) = (try #require(GroupName("g")), try #require(TopicName("t")))
        let address = DeviceAddress(
            environment: .production, kind: .device, token: try #require(DeviceToken([1, 2, 3])))
        let registration = Registration(app: game, address: address, topics: [topic])
        let subscription = Subscription(app: game, topics: [topic], devices: [device])
        let (join, leave) = (
            Join(app: game, group: group, devices: [device]), Leave(app: game, group: group, devices: [device])
        )
        let requests: [Request] = [
            .register(registration), .unregister(Unregistration(app: game, device: device, at: now)),
            .updateDevice(DeviceChange(app: game, device: device, update: DeviceUpdate(locale: "de"))),
            .restore(DeviceRestoration(app: game, device: device)), .join(join), .leave(leave),
            .subscribe(subscription), .unsubscribe(subscription),
            .updateGroup(GroupUpdate(app: game, group: group, isMuted: true)),
        ]
        let found = try run { writer in
            for (index, request) in requests.enumerated() { writer.request(request, id: UInt64(index + 4)) }
        }
        #expect(
            found.changes == [
                .register(registration, now: now), .unregister(device, app: game, at: now, now: now),
                .update(device, app: game, DeviceUpdate(locale: "de")), .restore(device, app: game, now: now),
                .join(join, now: now), .leave(leave), .subscribe(subscription), .unsubscribe(subscription),
                .mute(group, app: game, true),
            ])
        #expect(found.isAll)
    }

    @Test func eachHasItsDeadline() throws {
        let found = try run { writer in
            unregister(4, nil, &writer)
            writer.request(
                .restore(DeviceRestoration(app: game, device: device)), id: 50,
                common: CommonFields(deadlineMilliseconds: 50))
        }
        #expect(found.ids == [4, 50])
    }

    @Test func untilSomethingElseComes() throws {
        let other = try #require(AppID("com.example.other"))
        let content = MessageContent(app: game, pushType: .alert, payload: Array(#"{"aps":{}}"#.utf8))
        let strangers: [(inout FrameWriter) -> Void] = [
            { unregister(5, other, &$0) },
            { $0.request(.lookup(Lookup(app: game, device: device)), id: 5) },
            { $0.ping(Ping(isAcknowledgement: false, payload: 1)) },
            { $0.raw([0, 0, 0, 1]) },
            // A message, an id that was, bytes that are missing, and a payload that is none.
            {
                let group = GroupName("g")!
                $0.request(.join(Join(app: game, group: group, devices: [device], announcement: content)), id: 5)
            },
            { unregister(4, nil, &$0) },
            {
                unregister(5, nil, &$0); $0.truncate(to: $0.bytes.count - 1)
            },
            { $0.raw([0, 0, 0, 1, 1, 0, 0, 0x12, 0, 0, 0, 0, 0, 0, 0, 5, 0]) },
        ]
        for stranger in strangers {
            let found = try run { writer in
                unregister(4, nil, &writer)
                stranger(&writer)
            }
            #expect(found.ids == [4])
            #expect(!found.isAll)
        }
    }

    @Test func whatIsNotServedIsLeft() throws {
        let found = try run(opcodes: Opcode.served.filter { $0 != .restore }) { writer in
            unregister(4, nil, &writer)
            writer.request(.restore(DeviceRestoration(app: game, device: device)), id: 5)
        }
        #expect(found.ids == [4])
        #expect(!found.isAll)
    }

    @Test func noMoreThanMayBe() throws {
        func many(_ writer: inout FrameWriter) {
            for id in 4...9 as ClosedRange<UInt64> { unregister(id, nil, &writer) }
        }
        #expect(try run(limit: 3, many).ids == [4, 5, 6])
        var limits = SessionLimits()
        limits.requestsInFlight = 3
        #expect(try run(limits: limits, many).ids == [4, 5])
    }
}
