import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

/// The rules of SEND and MESSAGE_STATUS that the vectors do not cover.
struct SendRequestTests {
    private static let app = TestApps.game

    @Test func overBudgetDropIsTheDefault() throws {
        let content = MessageContent(app: Self.app, pushType: .background, payload: [])
        var message = Message(content: content, audience: .all)
        message.content.payload = Array(#"{"aps":{"content-available":1}}"#.utf8)
        let oneField: [UInt8] = [1]
        let overBudget: [UInt8] = [39, 1, OverBudget.drop.rawValue]
        #expect(try decode(SendRequest.self, payload(message) + oneField + overBudget) == message)
    }

    @Test(arguments: [nil, UUIDBytes.zero]) func aKeyOfZerosMeansNoKey(_ key: UUIDBytes?) throws {
        let content = MessageContent(app: Self.app, pushType: .alert, payload: Array(#"{"aps":{}}"#.utf8))
        let message = Message(idempotencyKey: key, content: content, audience: .all)
        #expect(!message.isRepeatable)
        let sent = try #require(try decode(SendRequest.self, payload(message)))
        #expect(sent.idempotencyKey == nil)
    }

    @Test func aPayloadWithoutRoomForTheIDNamesTheLimit() {
        // The id is a member more: its name, 20 digits, and six bytes around them. With it there is one byte too many.
        let (start, end, roomForID) = (#"{"a":""#, #""}"#, "id".utf8.count + 20 + 6)
        let filling = String(repeating: "x", count: 4_096 + 1 - roomForID - start.utf8.count - end.utf8.count)
        let text = start + filling + end
        let content = MessageContent(app: Self.app, pushType: .alert, payload: Array(text.utf8), idKey: "id")
        let fault = #expect(throws: WireError.self) {
            try decode(SendRequest.self, payload(Message(content: content, audience: .all)))
        }
        #expect(fault?.code == .tooLarge)
        #expect(fault?.field == "payload")
        #expect(fault?.limit == 4_096)
    }

    /// Otherwise a row would get the label of another.
    @Test func detailsMustBeAsManyAsTheMessages() throws {
        let row = MessageSummary(
            id: MessageID(rawValue: 7), state: .finished, acceptedAt: .zero, pushType: .alert, lane: .bulk, total: 1,
            ended: 1, delivered: 1, failed: 0, label: "Raid", sender: "live-ops")
        func payload(_ rows: [MessageSummary]) -> [UInt8] {
            var writer = FrameWriter()
            writer.answer(MessagesAnswer(next: 0, messages: rows), to: MessagesRequest.self, id: 1)
            return Array(writer.bytes.dropFirst(FrameHeader.byteCount))
        }
        let (one, two) = (payload([row]), payload([row, row]))
        #expect(try one.withUnsafeBytes { try MessagesRequest.decodeAnswer($0) }.messages == [row])
        // Two messages with the details of one.
        let mixed = two.prefix(8 + 4 + 2 * 35) + one.dropFirst(8 + 4 + 35)
        let fault = #expect(throws: WireError.self) {
            try Array(mixed).withUnsafeBytes { try MessagesRequest.decodeAnswer($0) }
        }
        #expect(fault?.field == "details")
    }

    /// The remaining time is not stored, so it follows from the rate whatever a server says.
    @Test func theTimeLeftFollowsFromTheRate() throws {
        var status = MessageStatus(
            state: .sending, acceptedAt: .zero, finishedAt: .zero, total: 30, outcomes: [.pending: 30])
        status.rate = 4
        var writer = FrameWriter()
        writer.answer(status, to: MessageStatusRequest.self, id: 1)
        var bytes = Array(writer.bytes.dropFirst(FrameHeader.byteCount))
        let last = try #require(bytes.indices.last)
        bytes[last] = 0xFF
        #expect(try bytes.withUnsafeBytes { try MessageStatusRequest.decodeAnswer($0) } == status)
        #expect(status.remainingMilliseconds == 7_500)
    }
}
