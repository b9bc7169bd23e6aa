import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

/// The rules of SEND that the vectors do not cover.
struct SendRequestTests {
    private static let app = TestApps.game

    @Test func `dropping over budget is the default`() throws {
        let content = MessageContent(app: Self.app, pushType: .background, payload: [])
        var message = Message(content: content, audience: .all)
        message.content.payload = Array(#"{"aps":{"content-available":1}}"#.utf8)
        let (tagOfOverBudget, size): (UInt8, UInt8) = (39, 1)
        let oneField = [1, tagOfOverBudget, size, OverBudget.drop.rawValue]
        #expect(try decode(SendRequest.self, payload(message) + oneField) == message)
    }

    @Test(arguments: [nil, UUIDBytes.zero]) func `a key of zeros means no key`(_ key: UUIDBytes?) throws {
        let content = MessageContent(app: Self.app, pushType: .alert, payload: Array(#"{"aps":{}}"#.utf8))
        let message = Message(idempotencyKey: key, content: content, audience: .all)
        #expect(!message.isRepeatable)
        let sent = try #require(try decode(SendRequest.self, payload(message)))
        #expect(sent.idempotencyKey == nil)
    }

    @Test func `a payload without room for the id names the limit`() {
        // The id is a member more: its name, 20 digits, and six bytes around them. With it there is one byte too many.
        let start = #"{"a":""#
        let end = #""}"#
        let roomForID = "id".utf8.count + 20 + 6
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
}
