import CarillonCore
import CarillonWire
import Testing

/// The rules of event frames that the vectors do not cover.
struct EventNoticeTests {
    private func notice(_ payload: [UInt8]) throws(WireError) -> EventNotice {
        let result = payload.withUnsafeBytes { bytes -> Result<EventNotice, WireError> in
            Result { () throws(WireError) in try EventNotice(decoding: bytes) }
        }
        return try result.get()
    }

    private func written(_ notice: EventNotice) -> [UInt8] {
        var writer = FrameWriter()
        writer.event(notice, subscription: 3)
        return Array(writer.bytes.dropFirst(FrameHeader.byteCount))
    }

    private static let gap: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 8] + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0]

    private func number(_ tag: UInt8, _ value: UInt8) -> [UInt8] {
        [tag, 8, 0, 0, 0, 0, 0, 0, 0, value]
    }

    @Test func `a gap names the missing events`() throws {
        let found = try notice(Self.gap + [2] + number(28, 3) + number(30, 9))
        #expect(found == .gap(missed: 3..<9, at: Timestamp(milliseconds: 1)))
        #expect(found.sequence == 8)
    }

    @Test func `a gap without events is refused`() {
        let gaps = [
            Self.gap, Self.gap + [1] + number(28, 3), Self.gap + [1] + number(30, 9),
            Self.gap + [2] + number(28, 9) + number(30, 9), Self.gap + [2] + number(28, 9) + number(30, 3),
        ]
        for bytes in gaps {
            let fault = #expect(throws: WireError.self) { try notice(bytes) }
            #expect(fault?.code == .invalidArgument)
            #expect(fault?.field == "missed_to")
        }
    }

    @Test func `a text that is too long is cut between characters`() throws {
        let event = Event(
            sequence: .max, at: Timestamp(milliseconds: .max), kind: .connectionDown,
            app: AppID(String(repeating: "a", count: AppID.maximumBytes)), message: MessageID(rawValue: .max),
            device: DeviceID(rawValue: .max), outcome: Outcome(rawValue: .max), count: .max,
            text: String(repeating: "ü", count: 4_000))
        let bytes = written(.event(event))
        #expect(bytes.count < 1_024, "every client takes it, whatever its receive_limit")
        guard case .event(let found) = try notice(bytes) else { throw WireError(.malformed, text: "no event") }
        #expect(found.text == String(repeating: "ü", count: 127))
    }
}
