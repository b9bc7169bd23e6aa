import CarillonCore
import CarillonWire
import Testing

/// What the vectors of groups, topics and audiences cannot say: limits that errors tell, and the sizes of answers.
@Suite struct AudienceTests {
    private static let app = AppID("com.example.game")!
    private static let longest = String(repeating: "g", count: 200)

    private func payload(_ request: Request) -> [UInt8] {
        var writer = FrameWriter()
        writer.request(request, id: 1)
        return Array(writer.bytes.dropFirst(FrameHeader.byteCount))
    }

    private func decode(_ opcode: Opcode, _ payload: [UInt8]) throws(WireFault) -> Request {
        let result = payload.withUnsafeBytes { bytes -> Result<Request, WireFault> in
            Result { () throws(WireFault) in try Request.decode(opcode, bytes).request }
        }
        return try result.get()
    }

    private func fault(_ opcode: Opcode, _ payload: [UInt8]) -> WireFault? {
        do throws(WireFault) {
            _ = try decode(opcode, payload)
            return nil
        } catch {
            return error
        }
    }

    private static func message(_ audience: Audience) -> Message {
        Message(
            content: MessageContent(app: app, pushType: .alert, payload: Array("{}".utf8)), audience: audience)
    }

    @Test func aFlagOfZeroIsAsGoodAsNone() throws {
        let send = Request.send(Self.message(.all))
        #expect(try decode(.send, payload(send) + [1, 33, 1, 0]) == send)
        let group = try #require(GroupName("user/42"))
        let leave = Request.leave(Leave(app: Self.app, group: group, devices: [.id(DeviceID(rawValue: 1))]))
        #expect(try decode(.leave, payload(leave) + [1, 17, 1, 0]) == leave)
    }

    @Test(arguments: [
        ("'level5'", 9), ("'a' in topics && ('b' in topics", 32), ("'a' in topics && größe == '1'", 20),
    ])
    func aConditionThatCannotBeReadNamesItsColumn(_ text: String, column: UInt32) throws {
        let bytes = Array(text.utf8)
        let app = payload(.explain(ConditionQuery(app: Self.app, condition: .all))).dropLast(5)
        let explain = try #require(fault(.explain, app + [0, UInt8(bytes.count)] + bytes))
        #expect((explain.code, explain.field, explain.column) == (.invalidArgument, "condition", column))

        let send = payload(.send(Self.message(.condition(.all)))).dropLast(6)
        let sent = try #require(fault(.send, send + [1, 27, UInt8(bytes.count)] + bytes))
        #expect((sent.code, sent.field, sent.column) == (.invalidArgument, "condition", column))
        #expect(ErrorReply(sent).column == column)
    }

    @Test func tooManyPairsTellTheLimit() throws {
        let topics = try (0..<101).map { try #require(TopicName("t\($0)")) }
        let devices = (1...100).map { DeviceReference.id(DeviceID(rawValue: $0)) }
        let subscription = Subscription(app: Self.app, topics: topics, devices: devices)
        let found = try #require(fault(.subscribe, payload(.subscribe(subscription))))
        #expect((found.field, found.limit) == ("topics", 10_000))
    }

    /// A limit is told if it is passed.
    @Test func tooFewTellNoLimit() throws {
        let none = Self.message(.devices([]))
        let found = try #require(fault(.send, payload(.send(none))))
        #expect((found.field, found.limit) == ("devices", nil))
        let many = Self.message(.devices((1...1_001).map { .id(DeviceID(rawValue: $0)) }))
        let other = try #require(fault(.send, payload(.send(many))))
        #expect((other.field, other.limit) == ("devices", 1_000))
        let batch = try #require(fault(.registerBatch, payload(.registerBatch([]))))
        #expect((batch.field, batch.limit) == ("items", nil))
    }

    /// 100,000 attributes fit into a frame; to look for each among all before it would take minutes.
    @Test(.timeLimit(.minutes(1))) func aHostileListOfAttributesCostsLittle() throws {
        var list = FrameWriter()
        list.raw([0, 1, 0x86, 0xA0])
        for index in 0..<100_000 {
            let key = String(index, radix: 36)
            list.raw([0, UInt8(key.utf8.count)] + Array(key.utf8) + [0, 1, 0x76])
        }
        var tag: [UInt8] = [1, 23]
        var size = list.bytes.count
        while size > 127 {
            tag.append(UInt8(size & 127) | 128)
            size >>= 7
        }
        tag.append(UInt8(size))
        let change = DeviceChange(app: Self.app, device: .id(DeviceID(rawValue: 1)), update: DeviceUpdate())
        let found = try #require(fault(.updateDevice, payload(.updateDevice(change)) + tag + list.bytes))
        #expect((found.code, found.field, found.item, found.limit) == (.invalidArgument, "attributes", nil, 16))
    }

    /// A page of the longest names, asked for by a client that takes as little as a client may.
    @Test func everyPageFitsTheSmallestReceiveLimit() throws {
        let group = try #require(GroupName(Self.longest))
        let topic = try #require(TopicName(Self.longest))
        let names = GroupsQuery(app: Self.app, limit: 1_000)
        let devices = { (count: UInt32) in
            DevicePage(next: .max, devices: (0..<count).map { _ in DeviceID(rawValue: .max) })
        }
        let sets = { (count: UInt32) in
            let row = NamedSetPage.Row(name: Self.longest, devices: .max, isMuted: true)
            return NamedSetPage(next: Self.longest, rows: Array(repeating: row, count: Int(count)))
        }
        let requests: [Request] = [
            .groups(names), .topics(TopicsQuery(app: Self.app, limit: 1_000)),
            .groupDevices(GroupDevicesQuery(app: Self.app, group: group, limit: 1_000)),
            .topicDevices(TopicDevicesQuery(app: Self.app, topic: topic, limit: 1_000)),
            .groupTopics(GroupTopicsQuery(app: Self.app, group: group, limit: 1_000)),
            .messageOutcomes(OutcomesQuery(app: Self.app, id: MessageID(rawValue: 1), limit: 1_000)),
            .memberships(
                MembershipsQuery(app: Self.app, device: .id(DeviceID(rawValue: 1)), limit: 1_000)),
        ]
        for request in requests {
            #expect(request.answered(within: 1_048_576) == request, "\(request.opcode)")
            let response: Response? =
                switch request.answered(within: 4_096) {
                case .groups(let query): .groups(sets(query.limit))
                case .topics(let query): .topics(sets(query.limit))
                case .groupDevices(let query): .groupDevices(devices(query.limit))
                case .topicDevices(let query): .topicDevices(devices(query.limit))
                case .groupTopics(let query):
                    .groupTopics(
                        TopicPage(next: Self.longest, topics: Array(repeating: topic, count: Int(query.limit))))
                case .messageOutcomes(let query):
                    .outcomes(
                        RecipientOutcomePage(
                            next: .max,
                            recipients: Array(
                                repeating: RecipientOutcome(device: nil, outcome: .delivered),
                                count: Int(query.limit))))
                case .memberships(let query):
                    .memberships(
                        Memberships(
                            device: DeviceID(rawValue: 1), isMuted: false, groups: [],
                            topics: Array(
                                repeating: Memberships.Holding(topic: topic, source: group), count: Int(query.limit)),
                            next: topic))
                default: nil
                }
            var writer = FrameWriter()
            writer.response(try #require(response), id: 1)
            let bytes = writer.bytes.count - FrameHeader.byteCount
            #expect((3_500...4_096).contains(bytes), "\(request.opcode): \(bytes)")
        }
    }
}
