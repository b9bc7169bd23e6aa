import CarillonCore
import CarillonProvider
import CarillonTestKit
import CarillonWebPush
import Testing

/// The plaintext and the headers that a message for browsers becomes, and the faults of a content that has no such
/// form.
struct BrowserMessageTests {
    static let app = TestApps.game

    static func makeContent(
        _ payload: String, type: PushType = .alert, priority: Priority? = nil, expiration: Expiration = .unspecified,
        collapseID: String? = nil, idKey: String? = nil
    ) -> MessageContent {
        MessageContent(
            app: app, pushType: type, priority: priority, expiration: expiration, collapseID: collapseID,
            payload: Array(payload.utf8), idKey: idKey)
    }

    private func text(
        _ content: MessageContent, payloadIndex: UInt8 = 0, overrides: String? = nil
    ) throws(MessageError) -> String {
        var content = content
        content.web = overrides.map { .overrides(Array($0.utf8)) }
        let plaintext = try BrowserMessage.plaintext(
            of: content, payloadIndex: payloadIndex, message: MessageID(rawValue: 7))
        return String(decoding: plaintext, as: UTF8.self)
    }

    /// A payload with its overrides for browsers, and the message; nil if the content is refused.
    struct Declarative: CustomTestStringConvertible {
        let payload: String
        var overrides: String?
        let message: String?

        var testDescription: String { payload }
    }

    @Test(
        arguments: [
            Declarative(payload: #"{"aps":{"alert":"Hello"}}"#, message: #"{"notification":{"title":"Hello"}}"#),
            Declarative(
                payload: #"{"aps":{"alert":{"title":"T","body":"B","subtitle":"S"},"badge":3,"sound":"x"},"level":5}"#,
                message: #"{"notification":{"app_badge":3,"body":"B","data":{"level":5},"title":"T"}}"#),
            Declarative(
                payload:
                    #"{"aps":{"alert":{"title":"T"},"badge":0,"mutable-content":1,"interruption-level":"passive"}}"#,
                overrides: #"{"notification":{"navigate":"https://example.com/5#top"}}"#,
                message:
                    #"{"mutable":true,"notification":{"app_badge":0,"navigate":"https://example.com/5#top","silent":"#
                    + #"true,"title":"T"},"web_push":8030}"#),
            Declarative(
                payload: #"{"aps":{"alert":{"title":"T","body":"B"}}}"#,
                overrides: #"{"notification":{"title":null,"title":"X"}}"#, message: nil),
            Declarative(
                payload: #"{"aps":{"alert":{"title-loc-key":"K","body":"B"}}}"#,
                overrides: #"{"notification":{"title":"X"}}"#, message: #"{"notification":{"body":"B","title":"X"}}"#),
            Declarative(
                payload: #"{"aps":{"alert":{"title":"T","body":"B"}}}"#,
                overrides:
                    #"{"notification":{"icon":"https://example.com/i.png","badge":"/b.png","image":"/p.png","tag":"t","#
                    + #""body":"other","actions":[{"action":"a","title":"A"}],"dir":"rtl","url":"/5"},"mutable":true}"#,
                message: #"{"mutable":true,"notification":{"actions":[{"action":"a","title":"A"}],"badge":"/b.png","#
                    + #""body":"other","dir":"rtl","icon":"https://example.com/i.png","image":"/p.png","tag":"t","#
                    + #""title":"T","url":"/5"}}"#),
            Declarative(
                payload: #"{"aps":{"alert":"a","mutable-content":1}}"#,
                overrides: #"{"mutable":false,"notification":null}"#, message: #"{"notification":{"title":"a"}}"#),
            Declarative(
                payload: #"{"aps":{"alert":{"title":"T","body":"B"}}}"#, overrides: #"{"notification":{"body":null}}"#,
                message: #"{"notification":{"title":"T"}}"#),
        ])
    func `a content becomes a declarative message`(_ declarative: Declarative) throws {
        let content = Self.makeContent(declarative.payload)
        guard let message = declarative.message else {
            // The same name twice is not JSON that two readers understand alike.
            #expect(throws: MessageError.self) { try text(content, overrides: declarative.overrides) }
            return
        }
        #expect(try text(content, overrides: declarative.overrides) == message)
    }

    @Test func `the tag and the id are those of the content`() throws {
        let content = Self.makeContent(#"{"aps":{"alert":"a"}}"#, collapseID: "score", idKey: "m")
        #expect(try text(content) == #"{"notification":{"data":{"m":"7"},"tag":"score","title":"a"}}"#)
    }

    @Test func `a message names the language of its body`() throws {
        var content = Self.makeContent("")
        content.bodies = [LanguageBody(language: "zh-Hant", payload: Array(#"{"aps":{"alert":"你好"}}"#.utf8))]
        #expect(try text(content, payloadIndex: 1) == #"{"notification":{"lang":"zh-Hant","title":"你好"}}"#)
    }

    /// A payload with its overrides for browsers, and the field at fault.
    struct Fault: CustomTestStringConvertible {
        var payload = #"{"aps":{"alert":"a"}}"#
        var overrides: String?
        let field: String

        var testDescription: String { "\(field) of \(overrides ?? payload)" }
    }

    @Test(
        arguments: [
            Fault(payload: #"{"aps":{}}"#, field: "web.notification.title"),
            Fault(payload: #"{"aps":{"alert":{"title":""}}}"#, field: "web.notification.title"),
            Fault(payload: #"{"aps":{"alert":{"title-loc-key":"K"}}}"#, field: "payload.aps.alert.title-loc-key"),
            Fault(payload: #"{"aps":{"alert":{"title":"T","loc-key":"K"}}}"#, field: "payload.aps.alert.loc-key"),
            Fault(overrides: #"{"notification":{"navigate":"/5"}}"#, field: "web.notification.navigate"),
            Fault(overrides: #"{"notification":{"navigate":"javascript:x"}}"#, field: "web.notification.navigate"),
            Fault(overrides: #"{"notification":{"dir":"up"}}"#, field: "web.notification.dir"),
            Fault(overrides: #"{"notification":{"silent":1}}"#, field: "web.notification.silent"),
            Fault(overrides: #"{"notification":{"lang":1}}"#, field: "web.notification.lang"),
            Fault(overrides: #"{"notification":{"actions":{}}}"#, field: "web.notification.actions"),
            Fault(
                overrides: #"{"notification":{"actions":[{"action":"a"}]}}"#, field: "web.notification.actions.title"),
            Fault(overrides: #"{"notification":{"icon":1}}"#, field: "web.notification.icon"),
            Fault(overrides: #"{"notification":[]}"#, field: "web.notification"),
            Fault(overrides: #"{"mutable":1}"#, field: "web.mutable"),
            Fault(overrides: #"{"ttl":-1}"#, field: "web.ttl"),
            Fault(overrides: #"{"ttl":2419201}"#, field: "web.ttl"),
            Fault(overrides: #"{"ttl":"60s"}"#, field: "web.ttl"),
            Fault(overrides: #"{"ttl":1.5}"#, field: "web.ttl"),
            Fault(overrides: #"{"urgency":"urgent"}"#, field: "web.urgency"),
            Fault(overrides: #"{"topic":""}"#, field: "web.topic"),
            Fault(overrides: #"{"topic":"a b c d"}"#, field: "web.topic"),
            Fault(overrides: #"{"topic":"score"}"#, field: "web.topic"),
            Fault(overrides: #"{"topic":"abcdefghijklmnopqrstuvwxyz0123456"}"#, field: "web.topic"),
            Fault(overrides: #"{"title":"T"}"#, field: "web.title"),
            Fault(overrides: "[", field: "web"),
        ])
    func `a fault names its field`(_ fault: Fault) {
        let error = #expect(throws: MessageError.self) {
            try text(Self.makeContent(fault.payload), overrides: fault.overrides)
        }
        #expect(error?.field == fault.field)
    }

    /// A payload is nested deeper in the message for browsers than in that for Apple.
    @Test(arguments: [nil, #"{"ttl":60}"#] as [String?]) func `a payload that is nested too deep is at fault itself`(
        _ overrides: String?
    ) {
        let nested = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
        let error = #expect(throws: MessageError.self) {
            try text(Self.makeContent(#"{"aps":{"alert":"a"},"a":"# + nested + "}"), overrides: overrides)
        }
        #expect(error?.field == "payload")
    }

    /// The lengths of a payload and of its overrides, and the field that is too long.
    struct Lengths: CustomTestStringConvertible {
        let payload: Int
        var overrides: Int?
        let field: String

        var testDescription: String { "\(payload) and \(overrides ?? 0) bytes" }
    }

    @Test(
        arguments: [
            Lengths(payload: 4_000, field: "payload"),
            Lengths(payload: 4_000, overrides: 10, field: "payload"),
            Lengths(payload: 10, overrides: 4_000, field: "web"),
            Lengths(payload: 2_500, overrides: 2_500, field: "web"),
        ])
    func `a value that is too long is named`(_ lengths: Lengths) {
        let payload = #"{"aps":{"alert":"a"},"a":""# + String(repeating: "x", count: lengths.payload) + #""}"#
        let overrides = lengths.overrides.map {
            #"{"notification":{"icon":""# + String(repeating: "y", count: $0) + #""}}"#
        }
        let error = #expect(throws: MessageError.self) { try text(Self.makeContent(payload), overrides: overrides) }
        #expect(error?.field == lengths.field)
        #expect(error?.limit == 3_993)
    }

    @Test(arguments: PushType.allCases.filter { $0 != .alert }) func `only alerts are for browsers`(_ type: PushType)
        throws
    {
        let content = Self.makeContent(#"{"aps":{}}"#, type: type)
        let error = #expect(throws: MessageError.self) { try BrowserMessage.check(content) }
        #expect(error?.field == "push_type")
        var raw = content
        raw.web = .raw(Array(#"{"mine":1}"#.utf8))
        try BrowserMessage.check(raw)
        #expect(try BrowserMessage.plaintext(of: raw) == Array(#"{"mine":1}"#.utf8))
    }

    /// The plaintext of one record, in bytes.
    private static let largestPlaintext = 3_993

    @Test func `a plaintext that fits into one record is accepted`() throws {
        var content = Self.makeContent(#"{"aps":{}}"#)
        content.web = .raw([UInt8](repeating: 0x61, count: Self.largestPlaintext))
        try BrowserMessage.check(content)
    }

    @Test func `a plaintext that is too long for one record is refused`() {
        var content = Self.makeContent(#"{"aps":{}}"#)
        content.web = .raw([UInt8](repeating: 0x61, count: Self.largestPlaintext + 1))
        let error = #expect(throws: MessageError.self) { try BrowserMessage.check(content) }
        #expect(error?.field == "web_raw")
        #expect(error?.limit == Self.largestPlaintext)
    }

    @Test func `a fault in a body names its language`() {
        var content = Self.makeContent("")
        content.bodies = [
            LanguageBody(language: "de", payload: Array(#"{"aps":{"alert":"a"}}"#.utf8)),
            LanguageBody(language: "zh", payload: Array(#"{"aps":{"alert":{"title-loc-key":"K"}}}"#.utf8)),
        ]
        let error = #expect(throws: MessageError.self) { try BrowserMessage.check(content) }
        #expect(error?.field == "bodies.zh.payload.aps.alert.title-loc-key")
    }

    // MARK: Headers

    private static let now = Timestamp(milliseconds: 1_790_000_000_500)

    @Test(
        arguments: [
            (Expiration.unspecified, 2_419_200), (.once, 0), (.at(seconds: 1_790_000_090), 90), (.at(seconds: 5), 0),
            (.at(seconds: .max), 2_419_200),
        ] as [(Expiration, UInt64)])
    func `an expiration is a time to live`(_ expiration: Expiration, _ ttlSeconds: UInt64) throws {
        let content = Self.makeContent("{}", expiration: expiration)
        #expect(try WebPushRequest(content, at: Self.now).ttlSeconds == ttlSeconds)
    }

    @Test(
        arguments: [
            (Priority.immediate, "high"), (.powerAware, "normal"), (.never, "very-low"), (nil, "high"),
        ] as [(Priority?, String)])
    func `a priority is an urgency`(_ priority: Priority?, _ urgency: String) throws {
        let content = Self.makeContent("{}", priority: priority)
        #expect(try WebPushRequest(content, at: Self.now).urgency.rawValue == urgency)
    }

    @Test(arguments: ["score", "a", String(repeating: "ü", count: 32)]) func `a topic has thirty-two digits`(
        _ id: String
    ) {
        let topic = WebPushRequest.topic(of: id)
        #expect(topic.utf8.count == 32)
        #expect(Base64URL.decode(topic.utf8)?.count == 24)
        #expect(WebPushRequest.topic(of: id + "x") != topic)
    }

    @Test func `the headers are those of the specifications`() throws {
        let request = try WebPushRequest(Self.makeContent("{}", expiration: .once, collapseID: "score"), at: Self.now)
        #expect(
            request.headers.map { "\($0.name): \($0.value)" } == [
                "ttl: 0", "urgency: high",
                "topic: \(WebPushRequest.topic(of: "score"))", "content-encoding: aes128gcm",
                "content-type: application/octet-stream",
            ])
        #expect(request.headers.allSatisfy { $0.isIndexed }, "they are the same from push to push")
    }

    @Test func `the sender may choose time to live, urgency and topic`() throws {
        var content = Self.makeContent(
            "{}", priority: .immediate, expiration: .at(seconds: 1_790_000_090), collapseID: "score")
        content.web = .overrides(Array(#"{"ttl":60,"urgency":"low","topic":"match7"}"#.utf8))
        let request = try WebPushRequest(content, at: Self.now)
        #expect(request.headers.prefix(3).map(\.value) == ["60", "low", "match7"])
        // The time to live does not count down: a request is good for ever.
        #expect(!request.hasExpiration)
        content.web = .overrides(Array(#"{"ttl":null,"urgency":null,"topic":null}"#.utf8))
        let usual = try WebPushRequest(content, at: Self.now)
        #expect(usual.headers.prefix(3).map(\.value) == ["90", "high", WebPushRequest.topic(of: "score")])
    }

    @Test func `headers with an expiration are made for each attempt`() throws {
        let ending = try WebPushRequest(Self.makeContent("{}", expiration: .at(seconds: 1_790_000_090)), at: Self.now)
        #expect(ending.hasExpiration)
        #expect(try !WebPushRequest(Self.makeContent("{}"), at: Self.now).hasExpiration)
    }
}
