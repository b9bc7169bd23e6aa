import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

/// The rules of groups, topics and audiences that the vectors do not cover: the limits that errors name.
struct PayloadReaderAudienceTests {
    private static let app = TestApps.game
    private static let longest = String(repeating: "g", count: 200)

    private func fault(_ type: (some Operation).Type, _ payload: [UInt8]) -> WireError? {
        do throws(WireError) {
            _ = try decode(type, payload)
            return nil
        } catch {
            return error
        }
    }

    private static func message(_ audience: Audience) -> Message {
        Message(
            content: MessageContent(app: app, pushType: .alert, payload: Array("{}".utf8)), audience: audience)
    }

    /// Tags of SEND and of LEAVE.
    private enum Tag {
        static let condition: UInt8 = 27
        static let isDryRun: UInt8 = 33
        static let clearsTopics: UInt8 = 17
    }

    /// Returns the end of a payload with one tagged field: the number of fields, the tag, the length of the value, the
    /// value.
    private static func field(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
        [1, tag, UInt8(value.count)] + value
    }

    @Test func `a flag of zero means the default`() throws {
        let send = Self.message(.all)
        #expect(try decode(SendRequest.self, payload(send) + Self.field(Tag.isDryRun, [0])) == send)
        let group = try #require(GroupName("user/42"))
        let leave = LeaveRequest(app: Self.app, group: group, devices: [.id(DeviceID(rawValue: 1))])
        #expect(try decode(LeaveRequest.self, payload(leave) + Self.field(Tag.clearsTopics, [0])) == leave)
    }

    /// Conditions that cannot be read, and the columns of their faults.
    private static let faultyConditions: [(String, UInt32)] = [
        ("'level5'", 9), ("'a' in topics && ('b' in topics", 32), ("'a' in topics && größe == '1'", 20),
    ]

    @Test(arguments: faultyConditions)
    func `a faulty condition of an explain names its column`(_ text: String, column: UInt32) throws {
        let condition = Array(text.utf8)
        let all = Array("all".utf8)
        // An EXPLAIN ends with the length of the condition, in two bytes, and the condition.
        let app = payload(ExplainRequest(app: Self.app, condition: .all)).dropLast(2 + all.count)
        let explain = try #require(fault(ExplainRequest.self, app + [0, UInt8(condition.count)] + condition))
        #expect(explain.code == .invalidArgument)
        #expect(explain.field == "condition")
        #expect(explain.column == column)
    }

    @Test(arguments: faultyConditions)
    func `a faulty condition of a send names its column`(_ text: String, column: UInt32) throws {
        let condition = Array(text.utf8)
        let all = Array("all".utf8)
        let send = payload(Self.message(.condition(.all))).dropLast(Self.field(Tag.condition, all).count)
        let sent = try #require(fault(SendRequest.self, send + Self.field(Tag.condition, condition)))
        #expect(sent.code == .invalidArgument)
        #expect(sent.field == "condition")
        #expect(sent.column == column)
        #expect(RequestError(sent).column == column)
    }

    @Test func `too many pairs name the limit`() throws {
        let topics = try (0..<101).map { try #require(TopicName("t\($0)")) }
        let devices = (1...100).map { DeviceReference.id(DeviceID(rawValue: $0)) }
        let subscription = TopicSubscription(app: Self.app, topics: topics, devices: devices)
        let found = try #require(fault(SubscribeRequest.self, payload(SubscribeRequest(subscription))))
        #expect(found.field == "topics")
        #expect(found.limit == 10_000)
    }

    @Test func `too many devices name the limit`() throws {
        let message = Self.message(.devices((1...1_001).map { .id(DeviceID(rawValue: $0)) }))
        let found = try #require(fault(SendRequest.self, payload(message)))
        #expect(found.field == "devices")
        #expect(found.limit == 1_000)
    }

    /// An error names a limit only if it was exceeded.
    @Test func `an empty list names no limit`() throws {
        let message = Self.message(.devices([]))
        let found = try #require(fault(SendRequest.self, payload(message)))
        #expect(found.field == "devices")
        #expect(found.limit == nil)
        let batch = try #require(fault(RegisterBatchRequest.self, payload(RegisterBatchRequest([]))))
        #expect(batch.field == "items")
        #expect(batch.limit == nil)
    }

    /// 100,000 attributes fit into a frame. A search for each among all before it would take minutes.
    @Test(.timeLimit(.minutes(10))) func `a hostile list of attributes costs little`() throws {
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
        let change = UpdateDeviceRequest(app: Self.app, device: .id(DeviceID(rawValue: 1)), update: DeviceUpdate())
        let found = try #require(fault(UpdateDeviceRequest.self, payload(change) + tag + list.bytes))
        #expect(found.code == .invalidArgument)
        #expect(found.field == "attributes")
        #expect(found.item == nil)
        #expect(found.limit == 16)
    }
}
