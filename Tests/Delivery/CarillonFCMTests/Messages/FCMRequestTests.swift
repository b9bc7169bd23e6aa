import CarillonCore
import CarillonFCM
import CarillonProvider
import CarillonTestKit
import Foundation
import Testing

/// The bodies of messages. The cases are in `Tests/ProviderVectors/fcm-messages.json`.
struct FCMRequestTests {
    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var payload: String
        var pushType: String?
        var priority: UInt8?
        var expiration: UInt64?
        var collapseID: String?
        var idKey: String?
        var messageID: UInt64?
        var android: String?
        var raw: String?
        var message: String?
        var fault: String?

        private enum CodingKeys: String, CodingKey {
            case name, payload, priority, expiration, android, raw, message, fault
            case pushType = "push_type"
            case collapseID = "collapse_id"
            case idKey = "id_key"
            case messageID = "message_id"
        }

        var testDescription: String { name }

        var content: MessageContent {
            let expiration: Expiration =
                switch expiration {
                case nil: .unspecified
                case 0: .once
                case let seconds?: .at(seconds: seconds)
                }
            return MessageContent(
                app: FCMRequestTests.app, pushType: pushType.flatMap { PushType(name: $0) } ?? .alert,
                priority: priority.flatMap { Priority(rawValue: $0) }, expiration: expiration, collapseID: collapseID,
                payload: Array(payload.utf8), idKey: idKey, android: own)
        }

        private var own: AndroidContent? {
            raw.map { .raw(Array($0.utf8)) } ?? android.map { .overrides(Array($0.utf8)) }
        }
    }

    static let app = TestApps.game
    static let now = Timestamp(milliseconds: 1_790_000_000_999)

    /// The cases of the file; empty if it cannot be read, and the test "each case has a message or a fault" then fails.
    static let cases: [Case] = {
        let file = Repository.file("Tests/ProviderVectors/fcm-messages.json")
        return (try? JSONDecoder().decode([Case].self, from: Data(contentsOf: file))) ?? []
    }()

    /// The content of the case of that name.
    private static func content(named name: String) throws -> MessageContent {
        try #require(cases.first { $0.name == name }).content
    }

    static let token = FCMTarget(.token, Array("cTarget1234567890abcde:APA91b-_x".utf8))!

    @Test func `each case has a message or a fault`() {
        #expect(Self.cases.count >= 30)
        #expect(Set(Self.cases.map(\.name)).count == Self.cases.count)
        for each in Self.cases {
            let hasMessage = each.message != nil
            #expect(hasMessage == (each.fault == nil), "\(each.name)")
        }
    }

    @Test(arguments: cases.filter { $0.message != nil }) func `a content becomes a message`(_ each: Case) throws {
        let request = try FCMRequest(
            each.content, message: MessageID(rawValue: each.messageID ?? 0), at: Self.now)
        let body = request.body(for: Self.token)
        let members = try JSONObjectParser.parse(body)["message"]?.members ?? [:]
        #expect(members["token"] == .text("cTarget1234567890abcde:APA91b-_x"))
        var message = members
        message["token"] = nil
        let expected = try #require(each.message)
        #expect(String(decoding: try JSONValue.encode(message, field: ""), as: UTF8.self) == expected)
        // The bytes themselves: the target comes last, and everything before it is common.
        let separator = expected == "{}" ? "" : ","
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"message":\#(expected.dropLast())\#(separator)"token":"cTarget1234567890abcde:APA91b-_x"}}"#)
        try FCMRules.check(each.content)
    }

    @Test(arguments: cases.filter { $0.fault != nil }) func `a fault names its field`(_ each: Case) throws {
        let error = #expect(throws: MessageError.self) { try FCMRules.check(each.content) }
        #expect(error?.field == each.fault)
        #expect(error?.text.isEmpty == false)
    }

    @Test func `an installation id is a target too`() throws {
        let request = try FCMRequest(Self.content(named: "a text"), at: Self.now)
        let fid = try #require(FCMTarget(.fid, Array("cNabcdefghijklmnopqr-_".utf8)))
        #expect(
            String(decoding: request.body(for: fid), as: UTF8.self)
                == #"{"message":{"android":{"priority":"HIGH"},"notification":{"body":"Hello"},"#
                + #""fid":"cNabcdefghijklmnopqr-_"}}"#)
        #expect(FCMRequest.path(project: "game-1a2b3") == "/v1/projects/game-1a2b3/messages:send")
    }

    /// A text, and true if it is a target of the kind.
    struct TargetText: CustomTestStringConvertible {
        let kind: FCMTarget.Kind
        let text: String
        let isTarget: Bool

        var testDescription: String { "\(kind) \(text)" }
    }

    @Test(arguments: [
        TargetText(kind: .token, text: "", isTarget: false),
        TargetText(kind: .token, text: "a", isTarget: true),
        TargetText(kind: .token, text: "a:b-_.%~9", isTarget: true),
        TargetText(kind: .token, text: "a\"b", isTarget: false),
        TargetText(kind: .token, text: "a b", isTarget: false),
        TargetText(kind: .token, text: "a\\", isTarget: false),
        TargetText(kind: .token, text: "ä", isTarget: false),
        TargetText(kind: .token, text: "a/b", isTarget: false),
        TargetText(kind: .token, text: String(repeating: "a", count: 255), isTarget: true),
        TargetText(kind: .token, text: String(repeating: "a", count: 256), isTarget: false),
        TargetText(kind: .fid, text: "cNabcdefghijklmnopqr-_", isTarget: true),
        TargetText(kind: .fid, text: "fNabcdefghijklmnopqr-_", isTarget: true),
        TargetText(kind: .fid, text: "gNabcdefghijklmnopqr-_", isTarget: false),
        TargetText(kind: .fid, text: "cNabcdefghijklmnopqr-", isTarget: false),
        TargetText(kind: .fid, text: "cNabcdefghijklmnopqr-_x", isTarget: false),
        TargetText(kind: .fid, text: "cNabcdefghijklmnopqr-:", isTarget: false),
    ])
    func `a target needs no escape`(_ written: TargetText) {
        #expect((FCMTarget(written.kind, Array(written.text.utf8)) != nil) == written.isTarget)
    }

    /// Makes a content whose message has this size for FCM: `body` and `k` are its names, and `a` a value.
    private func content(of bytes: Int, idKey: String? = nil) -> MessageContent {
        let value = String(repeating: "x", count: bytes - "body".utf8.count - "k".utf8.count - "a".utf8.count)
        let payload = #"{"aps":{"alert":"a"},"k":"\#(value)"}"#
        return MessageContent(app: Self.app, pushType: .alert, payload: Array(payload.utf8), idKey: idKey)
    }

    @Test func `a message whose names and values have the largest size is accepted`() throws {
        try FCMRules.check(content(of: 4_096))
    }

    @Test func `a message above the largest size is refused with its size`() {
        let error = #expect(throws: MessageError.self) { try FCMRules.check(content(of: 4_097)) }
        #expect(error == MessageError(field: "payload", text: "4097 bytes for FCM; the limit is 4096", limit: 4_096))
    }

    @Test func `the longest id counts for the size`() {
        #expect(throws: MessageError.self) { try FCMRules.check(content(of: 4_096, idKey: "m")) }
    }

    @Test func `a fault in a body names its language`() {
        let content = MessageContent(
            app: Self.app, pushType: .alert, payload: [],
            bodies: [
                LanguageBody(language: "de", payload: Array(#"{"aps":{"alert":"a"}}"#.utf8)),
                LanguageBody(language: "zh", payload: Array(#"{"aps":{},"from":"x"}"#.utf8)),
            ])
        let error = #expect(throws: MessageError.self) { try FCMRules.check(content) }
        #expect(error?.field == "bodies.zh.payload.from")
    }

    @Test func `a request with an expiration has a maximum age`() throws {
        #expect(try shared(Self.content(named: "a time of expiration")).maximumAgeMilliseconds == 5_000)
        #expect(try shared(Self.content(named: "a text")).maximumAgeMilliseconds == nil)
    }

    private func shared(_ content: MessageContent) throws -> SharedRequest {
        let outbound = OutboundMessage(
            id: MessageID(rawValue: 1), content: content, sendableSince: .zero, notAfter: nil, lane: .bulk)
        let adapter = try #require(FCMAdapter(project: "game"))
        return try adapter.request(for: OutboundMessage.Shared(outbound), payloadIndex: 0, at: Self.now)
    }
}
