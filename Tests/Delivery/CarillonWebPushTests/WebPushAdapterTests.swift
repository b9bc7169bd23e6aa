import CarillonCore
import CarillonProvider
import CarillonTestKit
import CarillonWebPush
import Testing

/// The requests to a push service for a browser, and the verdicts that depend on what the service answered before.
struct WebPushAdapterTests {
    private static let endpoint = "https://push.example.com/p/1?token=a%2b"
    private let adapter: WebPushAdapter

    init() throws {
        adapter = WebPushAdapter(try #require(HTTPSAddress(Self.endpoint))) { false }
    }

    private static func subscription(_ endpoint: String = endpoint) throws -> WebPushSubscription {
        // The browser of RFC 8291, appendix A.
        let key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        return try WebPushSubscription(
            endpoint: endpoint, publicKey: try #require(Base64URL.decode(key.utf8)),
            secret: try #require(Base64URL.decode("BTBZMqHH6r4Tts7J_aSIgg".utf8)))
    }

    private static let content = MessageContent(
        app: TestApps.game, pushType: .alert, expiration: .once, payload: Array(#"{"aps":{"alert":"Hi"}}"#.utf8))

    /// A push of the content to a browser.
    private static func delivery(_ subscription: [UInt8]) -> Delivery {
        Delivery.sample(kind: .web, subscription: subscription, content: content)
    }

    @Test func `a push has the path of its endpoint and a body of its own`() throws {
        let shared = try adapter.request(for: Self.delivery([]).message, payloadIndex: 0, at: .zero)
        #expect(shared.body.isEmpty)
        #expect(shared.headers.map(\.name) == ["ttl", "urgency", "content-encoding", "content-type"])
        var bodies: Set<[UInt8]> = []
        for _ in 0..<2 {
            var parts = RequestParts()
            let isWritten = adapter.write(
                Self.delivery(try Self.subscription().bytes), into: &parts)
            #expect(isWritten)
            #expect(String(decoding: parts.path, as: UTF8.self) == "/p/1?token=a%2b")
            #expect(parts.id == nil)
            bodies.insert(Array(parts.bodyEnd))
        }
        // Each has a key and a salt of its own.
        #expect(bodies.count == 2)
        let plaintext = Array(#"{"notification":{"title":"Hi"}}"#.utf8)
        #expect(bodies.allSatisfy { $0.count == plaintext.count + MessageEncryption.overheadBytes })
    }

    @Test func `the longest endpoint fits`() throws {
        let endpoint = "https://push.example.com/" + String(repeating: "a", count: 999)
        let adapter = WebPushAdapter(try #require(HTTPSAddress(endpoint))) { false }
        var parts = RequestParts()
        let isWritten = adapter.write(
            Self.delivery(try Self.subscription(endpoint).bytes), into: &parts)
        #expect(isWritten)
        #expect(parts.path.count == 1_000)
    }

    @Test func `a push to an unusable subscription is not written`() throws {
        var parts = RequestParts()
        let other = try Self.subscription("https://other.example.com/p")
        for bytes in [[], [1, 2, 3], other.bytes] {
            let isWritten = adapter.write(Delivery.sample(kind: .web, subscription: bytes), into: &parts)
            #expect(!isWritten)
        }
    }

    @Test func `a dead subscription ends as an unregistered token`() {
        let answer = [UInt8]().withUnsafeBytes { adapter.answer(status: 410, body: $0, at: .zero) }
        #expect(answer.verdict == .refused(.tokenUnregistered, deadSince: nil))
    }

    @Test func `the connection of a service that refuses the key ends`() {
        let answer = Array("no".utf8).withUnsafeBytes { adapter.answer(status: 403, body: $0, at: .zero) }
        #expect(answer.verdict == .credentialRefused)
        #expect(answer.consequence == .refuseCredential)
    }

    @Test(
        arguments: [
            ("The public key of the token does not match.", true, .refused(.tokenNotForTopic, deadSince: nil)),
            ("The public key of the token does not match.", false, .refused(.forbidden, deadSince: nil)),
            ("The token is invalid: the key has expired.", true, .credentialRefused),
            (nil, true, .credentialRefused),
        ] as [(String?, Bool, Verdict)])
    func `Windows names another key in a header`(_ text: String?, _ isKeyProven: Bool, _ verdict: Verdict) throws {
        let address = try #require(HTTPSAddress("https://db5p.notify.windows.com/w/?token=a"))
        let adapter = WebPushAdapter(address) { isKeyProven }
        let answer = adapter.answer(
            status: 401, body: UnsafeRawBufferPointer(start: nil, count: 0), errorDescription: text, at: .zero)
        #expect(answer.verdict == verdict)
        #expect(answer.reason == text)
    }
}
