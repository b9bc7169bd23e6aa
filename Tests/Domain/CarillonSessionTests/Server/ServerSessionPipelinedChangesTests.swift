import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

struct ServerSessionPipelinedChangesTests {
    private let game = TestApps.game
    private let device = DeviceReference.id(DeviceID(rawValue: 7))

    /// The changes that a session has read together with the UNREGISTER 3.
    private struct Pipelined {
        var changes: [Change] = []
        var ids: [UInt64] = []
        /// The time that each change has left, in milliseconds; nil if it has no deadline.
        var millisecondsLeft: [UInt64?] = []
        /// True if the changes were all of the bytes.
        var isAll = false
    }

    /// Lets a session read an UNREGISTER 3 and what `write` writes after it.
    private func run(
        limits: SessionLimits = SessionLimits(), limit: Int = 100, opcodes: [Opcode] = Opcode.served,
        _ write: (inout FrameWriter) -> Void
    ) throws -> Pipelined {
        let client = ScriptedClient(limits: limits, opcodes: opcodes)
        try client.enter(phase: "open")
        var writer = FrameWriter()
        unregister(3, to: &writer)
        let first = client.receive(writer.take())
        #expect(first.isChange, "\(first)")
        write(&writer)
        var bytes = writer.take()
        var pipelined = Pipelined()
        for step in client.pipelineSteps(&bytes, .changes(of: game), limit: limit) {
            guard case .change(let change, let head) = step else {
                Issue.record("\(step) among pipelined changes")
                break
            }
            pipelined.changes.append(change)
            pipelined.ids.append(head.id)
            pipelined.millisecondsLeft.append(head.deadline.map { $0 - client.now.uptime })
        }
        #expect(client.outstandingCount == 1 + pipelined.ids.count)
        #expect(client.session.output.take().isEmpty, "nothing is written while changes are pipelined")
        pipelined.isAll = bytes.isEmpty
        return pipelined
    }

    private func unregister(_ id: UInt64, app: AppID? = nil, to writer: inout FrameWriter) {
        writer.request(UnregisterRequest(app: app ?? game, device: device), id: id)
    }

    @Test func `changes of every kind about one app are one pipeline`() throws {
        let now = ScriptedClient().now.wall
        let group = try #require(GroupName("g"))
        let topic = try #require(TopicName("t"))
        let address = DeviceAddress(
            environment: .production, kind: .device, token: try #require(DeviceToken([1, 2, 3])))
        let registration = Registration(app: game, address: address, topics: [topic])
        let subscription = TopicSubscription(app: game, topics: [topic], devices: [device])
        let join = JoinRequest(app: game, group: group, devices: [device])
        let leave = LeaveRequest(app: game, group: group, devices: [device])
        let unregistration = UnregisterRequest(app: game, device: device, at: now)
        let update = UpdateDeviceRequest(app: game, device: device, update: DeviceUpdate(locale: "de"))
        let restoration = RestoreRequest(app: game, device: device)
        let mute = UpdateGroupRequest(app: game, group: group, isMuted: true)
        let changesOfRequests: [(request: any Operation, change: Change)] = [
            (registration, .register(registration, now: now)), (unregistration, .unregister(unregistration, now: now)),
            (update, .updateDevice(update)), (restoration, .restore(restoration, now: now)),
            (join, .join(join, now: now)), (leave, .leave(leave)),
            (SubscribeRequest(subscription), .subscribe(subscription)),
            (UnsubscribeRequest(subscription), .unsubscribe(subscription)), (mute, .updateGroup(mute)),
        ]
        let found = try run { writer in
            for (index, pair) in changesOfRequests.enumerated() {
                writer.request(AnyRequest(pair.request), id: UInt64(index + 4))
            }
        }
        #expect(found.changes == changesOfRequests.map(\.change))
        #expect(found.isAll)
    }

    @Test func `each pipelined change has its own deadline`() throws {
        let found = try run { writer in
            unregister(4, to: &writer)
            writer.request(
                RestoreRequest(app: game, device: device), id: 5, common: CommonFields(deadlineMilliseconds: 50))
        }
        #expect(found.ids == [4, 5])
        #expect(found.millisecondsLeft == [nil, 50])
    }

    @Test func `a frame that is no change ends the pipeline`() throws {
        let otherApp = try #require(AppID("com.example.other"))
        let content = MessageContent(app: game, pushType: .alert, payload: Array(#"{"aps":{}}"#.utf8))
        let others: [(inout FrameWriter) -> Void] = [
            { unregister(5, app: otherApp, to: &$0) },
            { $0.request(LookupRequest(app: game, device: device), id: 5) },
            { $0.ping(Ping(isAcknowledgement: false, payload: 1)) },
            { $0.raw([0, 0, 0, 1]) },
            // A message, an id that was used, missing bytes, and a payload that cannot be read.
            {
                let group = GroupName("g")!
                $0.request(JoinRequest(app: game, group: group, devices: [device], announcement: content), id: 5)
            },
            { unregister(4, to: &$0) },
            {
                unregister(5, to: &$0); $0.truncate(to: $0.bytes.count - 1)
            },
            { $0.raw([0, 0, 0, 1, 1, 0, 0, 0x12, 0, 0, 0, 0, 0, 0, 0, 5, 0]) },
        ]
        for other in others {
            let found = try run { writer in
                unregister(4, to: &writer)
                other(&writer)
            }
            #expect(found.ids == [4])
            #expect(!found.isAll)
        }
    }

    @Test func `an operation that is not served ends the pipeline`() throws {
        let found = try run(opcodes: Opcode.served.filter { $0 != .restore }) { writer in
            unregister(4, to: &writer)
            writer.request(RestoreRequest(app: game, device: device), id: 5)
        }
        #expect(found.ids == [4])
        #expect(!found.isAll)
    }

    @Test func `the limits end the pipeline`() throws {
        func many(_ writer: inout FrameWriter) {
            for id in 4...9 as ClosedRange<UInt64> { unregister(id, to: &writer) }
        }
        #expect(try run(limit: 3, many).ids == [4, 5, 6])
        var limits = SessionLimits()
        limits.outstandingRequests = 3
        #expect(try run(limits: limits, many).ids == [4, 5])
    }
}

extension ServerSession.Step {
    fileprivate var isChange: Bool { if case .change = self { true } else { false } }
}
