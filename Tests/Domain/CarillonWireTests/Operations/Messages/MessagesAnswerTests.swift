import CarillonCore
import CarillonWire
import Testing

/// The rules of the answers to MESSAGES and MESSAGE_STATUS that the vectors do not cover.
struct MessagesAnswerTests {
    /// Otherwise a row would get the label of another.
    @Test func `details must be as many as the messages`() throws {
        let row = MessageSummary(
            id: MessageID(rawValue: 7), state: .finished, acceptedAt: .zero, pushType: .alert, lane: .bulk, total: 1,
            ended: 1, delivered: 1, failed: 0, label: "Raid", sender: "live-ops")
        func payload(_ rows: [MessageSummary]) -> [UInt8] {
            var writer = FrameWriter()
            writer.answer(MessagesAnswer(next: 0, messages: rows), to: MessagesRequest.self, id: 1)
            return Array(writer.bytes.dropFirst(FrameHeader.byteCount))
        }
        let one = payload([row])
        let two = payload([row, row])
        #expect(try one.withUnsafeBytes { try MessagesRequest.decodeAnswer($0) }.messages == [row])
        // Two messages with the details of one.
        let mixed = two.prefix(8 + 4 + 2 * 35) + one.dropFirst(8 + 4 + 35)
        let fault = #expect(throws: WireError.self) {
            try Array(mixed).withUnsafeBytes { try MessagesRequest.decodeAnswer($0) }
        }
        #expect(fault?.field == "details")
    }

    /// The remaining time is not stored, so it follows from the rate whatever a server says.
    @Test func `the time left follows from the rate`() throws {
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
