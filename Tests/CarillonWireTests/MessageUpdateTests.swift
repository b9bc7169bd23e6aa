import CarillonCore
import CarillonWire
import Testing

/// What the vectors of steering, events and receipts cannot say.
@Suite struct SteeringTests {
    private static let app = AppID("com.example.game")!

    private func payload(_ request: some Operation) -> [UInt8] {
        var writer = FrameWriter()
        writer.request(request, id: 1)
        return Array(writer.bytes.dropFirst(FrameHeader.byteCount))
    }

    private func decode<O: Operation>(_ type: O.Type, _ payload: [UInt8]) throws(WireFault) -> O? {
        let result = payload.withUnsafeBytes { bytes -> Result<O?, WireFault> in
            Result { () throws(WireFault) in try AnyRequest.decode(O.opcode, bytes).request.as(type) }
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
        #expect(try decode(Message.self, payload(message) + [1, 39, 1, 1]) == message)
    }

    @Test func aPayloadWithoutRoomForTheIDTellsTheLimit() {
        let text = #"{"a":""# + String(repeating: "x", count: 4_061) + #""}"#
        let content = MessageContent(app: Self.app, pushType: .alert, payload: Array(text.utf8), idKey: "id")
        let fault = #expect(throws: WireFault.self) {
            try decode(Message.self, payload(Message(content: content, audience: .all)))
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
        writer.response(status, to: MessageQuery.self, id: 1)
        var bytes = Array(writer.bytes.dropFirst(FrameHeader.byteCount))
        let last = try #require(bytes.indices.last)
        bytes[last] = 0xFF
        #expect(try bytes.withUnsafeBytes { try MessageQuery.decodeAnswer($0) } == status)
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
}
