import CarillonCore
import CarillonWebPush
import Testing

/// Plaintexts and headers for browsers.
@Suite struct BrowserMessageTests {
    static let app = AppID("com.example.game")!

    static func content(
        _ payload: String, type: PushType = .alert, priority: Priority? = nil, expiration: Expiration = .unspecified,
        collapseID: String? = nil, idKey: String? = nil
    ) -> MessageContent {
        MessageContent(
            app: app, pushType: type, priority: priority, expiration: expiration, collapseID: collapseID,
            payload: Array(payload.utf8), idKey: idKey)
    }

    private func text(
        _ content: MessageContent, body: UInt8 = 0, overrides: String? = nil
    ) throws(MessageFault) -> String {
        let plaintext = try BrowserMessage.plaintext(
            of: content, body: body, message: MessageID(rawValue: 7),
            browser: overrides.map { .overrides(Array($0.utf8)) }
        )
        return String(decoding: plaintext, as: UTF8.self)
    }

    @Test(
        arguments: [
            (#"{"aps":{"alert":"Hello"}}"#, nil, #"{"notification":{"title":"Hello"}}"#),
            (
                #"{"aps":{"alert":{"title":"T","body":"B","subtitle":"S"},"badge":3,"sound":"x"},"level":5}"#, nil,
                #"{"notification":{"app_badge":3,"body":"B","data":{"level":5},"title":"T"}}"#
            ),
            (
                #"{"aps":{"alert":{"title":"T"},"badge":0,"mutable-content":1,"interruption-level":"passive"}}"#,
                #"{"navigate":"https://example.com/5#top"}"#,
                #"{"mutable":true,"notification":{"app_badge":0,"navigate":"https://example.com/5#top","silent":true,"#
                    + #""title":"T"},"web_push":8030}"#
            ),
            (
                #"{"aps":{"alert":{"title":"T","body":"B"}}}"#,
                #"{"title":null,"body":"other","actions":[{"action":"a","title":"A"}],"dir":"rtl","title":"X"}"#, nil
            ),
            (
                #"{"aps":{"alert":{"title-loc-key":"K","body":"B"}}}"#, #"{"title":"X"}"#,
                #"{"notification":{"body":"B","title":"X"}}"#
            ),
            (
                #"{"aps":{"alert":{"title":"T","body":"B"}}}"#, #"{"body":null}"#, #"{"notification":{"title":"T"}}"#
            ),
        ] as [(String, String?, String?)])
    func aContentBecomesADeclarativeMessage(_ payload: String, _ overrides: String?, _ expected: String?) throws {
        guard let expected else {
            // The same name twice is no JSON that two readers understand alike.
            #expect(throws: MessageFault.self) { try text(Self.content(payload), overrides: overrides) }
            return
        }
        #expect(try text(Self.content(payload), overrides: overrides) == expected)
    }

    @Test func tagAndIDAreThoseOfTheContent() throws {
        let content = Self.content(#"{"aps":{"alert":"a"}}"#, collapseID: "score", idKey: "m")
        #expect(try text(content) == #"{"notification":{"data":{"m":"7"},"tag":"score","title":"a"}}"#)
    }

    @Test func theLanguageOfABodyIsSaid() throws {
        var content = Self.content("")
        content.bodies = [LanguageBody(language: "zh-Hant", payload: Array(#"{"aps":{"alert":"你好"}}"#.utf8))]
        #expect(try text(content, body: 1) == #"{"notification":{"lang":"zh-Hant","title":"你好"}}"#)
    }

    @Test(
        arguments: [
            (#"{"aps":{}}"#, nil, "web.title"), (#"{"aps":{"alert":{"title":""}}}"#, nil, "web.title"),
            (#"{"aps":{"alert":{"title-loc-key":"K"}}}"#, nil, "payload.aps.alert.title-loc-key"),
            (#"{"aps":{"alert":{"title":"T","loc-key":"K"}}}"#, nil, "payload.aps.alert.loc-key"),
            (#"{"aps":{"alert":"a"}}"#, #"{"navigate":"/5"}"#, "web.navigate"),
            (#"{"aps":{"alert":"a"}}"#, #"{"navigate":"javascript:x"}"#, "web.navigate"),
            (#"{"aps":{"alert":"a"}}"#, #"{"dir":"up"}"#, "web.dir"),
            (#"{"aps":{"alert":"a"}}"#, #"{"silent":1}"#, "web.silent"),
            (#"{"aps":{"alert":"a"}}"#, #"{"lang":1}"#, "web.lang"),
            (#"{"aps":{"alert":"a"}}"#, #"{"actions":{}}"#, "web.actions"),
            (#"{"aps":{"alert":"a"}}"#, #"{"actions":[{"action":"a"}]}"#, "web.actions.title"),
            (#"{"aps":{"alert":"a"}}"#, "[", "web"),
        ] as [(String, String?, String)])
    func aFaultNamesItsField(_ payload: String, _ overrides: String?, _ field: String) {
        let error = #expect(throws: MessageFault.self) { try text(Self.content(payload), overrides: overrides) }
        #expect(error?.field == field)
    }

    @Test(arguments: PushType.allCases.filter { $0 != .alert }) func onlyAlertsAreForBrowsers(_ type: PushType) throws {
        let content = Self.content(#"{"aps":{}}"#, type: type)
        let error = #expect(throws: MessageFault.self) { try BrowserMessage.check(content) }
        #expect(error?.field == "push_type")
        try BrowserMessage.check(content, browser: .raw([0, 1, 2]))
        #expect(try BrowserMessage.plaintext(of: content, browser: .raw([0, 1, 2])) == [0, 1, 2])
    }

    @Test(arguments: [0, 1]) func aPlaintextFitsIntoOneRecord(_ excess: Int) throws {
        let raw = BrowserContent.raw([UInt8](repeating: 0x61, count: 3_993 + excess))
        let content = Self.content(#"{"aps":{}}"#)
        if excess == 0 { return try BrowserMessage.check(content, browser: raw) }
        let error = #expect(throws: MessageFault.self) { try BrowserMessage.check(content, browser: raw) }
        #expect(error?.field == "payload")
        #expect(error?.limit == 3_993)
    }

    @Test func aFaultOfALanguageNamesIt() {
        var content = Self.content("")
        content.bodies = [
            LanguageBody(language: "de", payload: Array(#"{"aps":{"alert":"a"}}"#.utf8)),
            LanguageBody(language: "zh", payload: Array(#"{"aps":{"alert":{"title-loc-key":"K"}}}"#.utf8)),
        ]
        let error = #expect(throws: MessageFault.self) { try BrowserMessage.check(content) }
        #expect(error?.field == "bodies.zh.payload.aps.alert.title-loc-key")
    }

    // MARK: Headers

    private static let now = Timestamp(milliseconds: 1_790_000_000_500)

    @Test(
        arguments: [
            (Expiration.unspecified, 2_419_200), (.once, 0), (.at(seconds: 1_790_000_090), 90), (.at(seconds: 5), 0),
            (.at(seconds: .max), 2_419_200),
        ] as [(Expiration, UInt64)])
    func anExpirationIsATimeToLive(_ expiration: Expiration, _ ttl: UInt64) {
        #expect(WebPushRequest(Self.content("{}", expiration: expiration), at: Self.now).ttl == ttl)
    }

    @Test(
        arguments: [
            (Priority.immediate, "high"), (.powerAware, "normal"), (.never, "very-low"), (nil, "high"),
        ] as [(Priority?, String)])
    func aPriorityIsAnUrgency(_ priority: Priority?, _ urgency: String) {
        #expect(WebPushRequest(Self.content("{}", priority: priority), at: Self.now).urgency.rawValue == urgency)
    }

    @Test(arguments: ["score", "a", String(repeating: "ü", count: 32)]) func aTopicHasThirtyTwoDigits(_ id: String) {
        let topic = WebPushRequest.topic(of: id)
        #expect(topic.utf8.count == 32)
        #expect(Base64URL.decode(topic.utf8)?.count == 24)
        #expect(WebPushRequest.topic(of: id + "x") != topic)
    }

    @Test func theHeadersAreThoseOfTheSpecifications() {
        let request = WebPushRequest(Self.content("{}", expiration: .once, collapseID: "score"), at: Self.now)
        #expect(
            request.headers(authorization: "vapid t=a, k=b").map { "\($0.name): \($0.value)" } == [
                "authorization: vapid t=a, k=b", "ttl: 0", "urgency: high",
                "topic: \(WebPushRequest.topic(of: "score"))", "content-encoding: aes128gcm",
                "content-type: application/octet-stream",
            ])
        let bare = WebPushRequest(Self.content("{}"), at: Self.now).headers(authorization: "x", hasBody: false)
        #expect(bare.map(\.name) == ["authorization", "ttl", "urgency"])
    }

    @Test func headersWithAnEndAreMadeAgain() {
        let ending = WebPushRequest(Self.content("{}", expiration: .at(seconds: 1_790_000_090)), at: Self.now)
        #expect(!ending.isStale(at: Timestamp(milliseconds: Self.now.milliseconds + 4_999)))
        #expect(ending.isStale(at: Timestamp(milliseconds: Self.now.milliseconds + 5_000)))
        #expect(!WebPushRequest(Self.content("{}"), at: Self.now).isStale(at: Timestamp(milliseconds: .max)))
    }
}
