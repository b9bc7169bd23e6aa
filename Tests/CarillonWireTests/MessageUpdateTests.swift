import CarillonCore
import CarillonWire
import Testing

/// What the vectors of steering, events and receipts cannot say.
@Suite struct SteeringTests {
    private static let app = AppID("com.example.game")!

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

    private func notice(_ payload: [UInt8]) throws(WireFault) -> EventNotice {
        let result = payload.withUnsafeBytes { bytes -> Result<EventNotice, WireFault> in
            Result { () throws(WireFault) in try EventNotice(decoding: bytes) }
        }
        return try result.get()
    }

    private func written(_ notice: EventNotice) -> [UInt8] {
        var writer = FrameWriter()
        writer.event(notice, subscription: 3)
        return Array(writer.bytes.dropFirst(FrameHeader.byteCount))
    }

    @Test func toDropIsAsGoodAsToSayNothing() throws {
        let content = MessageContent(app: Self.app, pushType: .background, payload: [])
        var message = Message(content: content, audience: .all)
        message.content.payload = Array(#"{"aps":{"content-available":1}}"#.utf8)
        #expect(try decode(.send, payload(.send(message)) + [1, 39, 1, 1]) == .send(message))
    }

    @Test func aPayloadWithoutRoomForTheIDTellsTheLimit() {
        let text = #"{"a":""# + String(repeating: "x", count: 4_061) + #""}"#
        let content = MessageContent(app: Self.app, pushType: .alert, payload: Array(text.utf8), idKey: "id")
        let fault = #expect(throws: WireFault.self) {
            try decode(.send, payload(.send(Message(content: content, audience: .all))))
        }
        #expect(fault?.code == .tooLarge)
        #expect(fault?.field == "payload")
        #expect(fault?.limit == 4_096)
    }

    /// The remaining time is not stored: it follows from the rate, whatever a server says.
    @Test func theTimeLeftFollowsFromTheRate() throws {
        let status = MessageStatus(
            state: .sending, acceptedAt: .zero, finishedAt: .zero, total: 30, outcomes: [.pending: 30], rate: 4)
        var writer = FrameWriter()
        writer.response(.status(status), id: 1)
        var bytes = Array(writer.bytes.dropFirst(FrameHeader.byteCount))
        let last = try #require(bytes.indices.last)
        bytes[last] = 0xFF
        #expect(try bytes.withUnsafeBytes { try Response.decode(.messageStatus, $0) } == .status(status))
        #expect(status.remainingMilliseconds == 7_500)
    }

    // MARK: Events

    private static let gap: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 8] + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0]

    private func number(_ tag: UInt8, _ value: UInt8) -> [UInt8] {
        [tag, 8, 0, 0, 0, 0, 0, 0, 0, value]
    }

    @Test func aGapSaysWhatIsMissed() throws {
        let found = try notice(Self.gap + [2] + number(28, 3) + number(30, 9))
        #expect(found == .gap(missed: 3..<9, at: Timestamp(milliseconds: 1)))
        #expect(found.sequence == 8)
    }

    @Test func aGapOfNothingCannotBeRead() {
        let gaps = [
            Self.gap, Self.gap + [1] + number(28, 3), Self.gap + [1] + number(30, 9),
            Self.gap + [2] + number(28, 9) + number(30, 9), Self.gap + [2] + number(28, 9) + number(30, 3),
        ]
        for bytes in gaps {
            let fault = #expect(throws: WireFault.self) { try notice(bytes) }
            #expect(fault?.code == .invalidArgument)
            #expect(fault?.field == "missed_to")
        }
    }

    @Test func aTextThatIsTooLongIsCutBetweenCharacters() throws {
        let event = Event(
            sequence: .max, at: Timestamp(milliseconds: .max), kind: .connectionDown,
            app: AppID(String(repeating: "a", count: AppID.byteLimit)), message: MessageID(rawValue: .max),
            device: DeviceID(rawValue: .max), outcome: Outcome(rawValue: .max), count: .max,
            text: String(repeating: "ü", count: 4_000))
        let bytes = written(.event(event))
        #expect(bytes.count < 1_024, "every client takes it, whatever its receive_limit")
        guard case .event(let found) = try notice(bytes) else { throw WireFault(.malformed, text: "no event") }
        #expect(found.text == String(repeating: "ü", count: 127))
    }

    // MARK: Pages

    /// A page asked for by a client that takes as little as a client may.
    @Test func everyPageFitsTheSmallestReceiveLimit() throws {
        let devices = { (count: UInt32) in
            DevicePage(next: .max, devices: (0..<count).map { _ in DeviceID(rawValue: .max) })
        }
        let row = MessageSummary(
            id: MessageID(rawValue: .max), state: .paused, acceptedAt: .zero, pushType: .alert, lane: .bulk,
            total: .max, ended: .max)
        let id = MessageID(rawValue: 7)
        let requests: [Request] = [
            .quarantine(QuarantineQuery(app: Self.app, limit: 1_000)),
            .messages(MessagesQuery(app: Self.app, limit: 1_000)),
            .receiptDevices(ReceiptsQuery(app: Self.app, id: id, kind: .opened, limit: 1_000)),
        ]
        for request in requests {
            #expect(request.answered(within: 1_048_576) == request)
            let response: Response? =
                switch request.answered(within: 4_096) {
                case .quarantine(let query): .quarantine(devices(query.limit))
                case .messages(let query):
                    .messages(MessagePage(next: .max, messages: Array(repeating: row, count: Int(query.limit))))
                case .receiptDevices(let query): .receiptDevices(devices(query.limit))
                default: nil
                }
            var writer = FrameWriter()
            writer.response(try #require(response), id: 1)
            let bytes = writer.bytes.count - FrameHeader.byteCount
            #expect((3_500...4_096).contains(bytes), "\(request.opcode): \(bytes)")
        }
    }

    /// Devices that have as much as a device may; a page of the largest frame has fewer than may be asked for.
    @Test(arguments: [4_096, 65_536, 1_048_576] as [UInt32])
    func aPageOfTheLargestDevicesFits(_ room: UInt32) throws {
        var device = Device(
            id: DeviceID(rawValue: .max),
            address: DeviceAddress(
                environment: .sandbox, kind: .complication,
                token: try #require(DeviceToken(Array(repeating: 1, count: DeviceToken.byteLimit)))),
            registeredAt: .zero, seenAt: .zero, state: .quarantined, locale: String(repeating: "l", count: 35),
            timeZone: String(repeating: "z", count: 64), isMuted: true)
        try device.attributes.merge(
            try (0..<Attributes.countLimit).map { index in
                let key = String(repeating: "k", count: AttributeKey.byteLimit - 1) + String(index, radix: 16)
                let value = String(repeating: "v", count: AttributeValue.byteLimit)
                return try #require(AttributeChange(key: key, value: value))
            })
        let listing = DeviceListing(app: Self.app, limit: 1_000)
        guard case .devices(let query) = Request.devices(listing).answered(within: room) else {
            throw WireFault(.malformed, text: "another request")
        }
        let page = DeviceRecordPage(next: .max, devices: Array(repeating: device, count: Int(query.limit)))
        var writer = FrameWriter()
        writer.response(.devices(page), id: 1)
        let bytes = writer.bytes.count - FrameHeader.byteCount
        #expect(bytes <= room)
        #expect(bytes + 2 * 1_952 + 256 > room, "no row more than could be too many is left out")
    }
}
