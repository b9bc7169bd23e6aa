import CarillonCore
import CarillonProvider
import CarillonTLS
import CarillonTestKit
import CarillonWebPush
import Foundation
import Testing

@testable import push_simulator

/// The checks of the push service, and the messages that the browsers read, which CarillonWebPush makes.
struct WebPushTests {
    static let now: Int64 = 1_790_000_000_000
    static let origin = "https://localhost:8443"

    let authority: TestAuthority
    let key: SigningKey
    let subscription: WebPushSubscription
    let browser: Browser

    init() throws {
        authority = try TestAuthority()
        key = try SigningKey(pem: authority.ellipticKey("vapid.key"))
        browser = try Browser(seed: 7, number: 3)
        subscription = try WebPushSubscription(json: Array(browser.subscription(origin: Self.origin).utf8))
    }

    private func makeService(_ pushService: WebPush.PushService = .google, key: String? = nil) -> WebPush {
        WebPush(service: pushService, browsers: [browser], key: key)
    }

    private func authorization(
        _ key: SigningKey? = nil, origin: String = origin, at now: Int64 = now
    ) throws -> String {
        let key = key ?? self.key
        let contact = try #require(VAPIDContact("mailto:push@example.com"))
        var tokens = VAPIDTokens(contact: contact, publicKey: try key.publicPoint)
        let moment = Moment(wall: Timestamp(milliseconds: UInt64(now)), uptime: 0)
        return try tokens.authorization(for: origin, at: moment) { input throws(TLSError) in try key.sign(input) }
    }

    /// Makes a message that is accepted, with changes.
    private func message(
        _ text: String = "Hello", changes: [String: String?] = [:], collapseID: String? = nil
    ) throws -> ReceivedRequest {
        var encryption = try MessageEncryption()
        var message = ReceivedRequest()
        message.method = "POST"
        message.path = try #require(subscription.address).target
        message.authority = try #require(subscription.address).authority
        message.body = try #require(try encryption.encrypt(Array(text.utf8), for: subscription, padding: 30))
        message.bodyLength = message.body.count
        let content = MessageContent(
            app: TestApps.game, pushType: .alert, collapseID: collapseID, payload: Array("{}".utf8))
        let request = try WebPushRequest(content, at: Timestamp(milliseconds: UInt64(Self.now)))
        message.set("authorization", to: try authorization())
        for header in request.headers { message.set(header.name, to: header.value) }
        for (name, value) in changes { message.set(name, to: value) }
        return message
    }

    @Test(arguments: WebPush.PushService.allCases) func `a message reaches its browser`(
        _ pushService: WebPush.PushService
    )
        throws
    {
        var service = makeService(pushService)
        let response = service.response(to: try message("Grüße", collapseID: "score"), at: Self.now).response
        #expect(response.status == 201)
        #expect(response.fields["location"] == "https://localhost:8443/message/1")
        let record = try #require(service.records[browser.id])
        let seen = (record.payload, record.ttl, record.urgency, record.topic.utf8.count)
        #expect(seen == ("Grüße", "2419200", "high", 32))
        _ = service.response(to: try message("again", collapseID: "score"), at: Self.now)
        #expect(service.records[browser.id]?.replacedCount == 1)
        #expect(service.unreadableCount == 0)
    }

    /// The two browsers of each pair had the same endpoint when the keys followed from a generator.
    @Test func `every browser has an endpoint of its own`() throws {
        let pairs = [(638, 23_995), (1_688, 18_853), (1_769, 5_519), (9_693, 12_508)]
        for (one, other) in pairs {
            #expect(try Browser(seed: 1, number: one).id != Browser(seed: 1, number: other).id)
        }
    }

    /// A field of a request that is wrong; nil if it is missing.
    struct Fault: CustomTestStringConvertible {
        let field: String
        var value: String?
        /// The statuses of the services, in the order of `WebPush.PushService.allCases`.
        var statuses: [UInt16] = [400, 400, 400, 400]

        var testDescription: String { "\(field) is \(value ?? "missing")" }
    }

    static let faults = [
        Fault(field: "ttl"),
        Fault(field: "ttl", value: "-1"),
        Fault(field: "ttl", value: "1h"),
        Fault(field: "urgency", value: "urgent"),
        Fault(field: "topic", value: "a b"),
        Fault(field: "topic", value: String(repeating: "a", count: 33)),
        Fault(field: "topic", value: ""),
        Fault(field: "topic", value: "abcde", statuses: [201, 201, 400, 201]),
        Fault(field: "content-encoding", value: "aesgcm"),
        Fault(field: "content-encoding"),
        Fault(field: "authorization", statuses: [401, 401, 403, 401]),
        Fault(field: "authorization", value: "bearer x", statuses: [401, 401, 403, 401]),
        Fault(field: "authorization", value: "vapid t=a.b.c, k=x", statuses: [403, 401, 403, 401]),
    ]

    @Test(arguments: faults)
    func `each service has its own status for a fault, and says why`(_ fault: Fault) throws {
        let request = try message(changes: [fault.field: fault.value])
        let responses = WebPush.PushService.allCases.map { pushService in
            var service = makeService(pushService)
            return service.response(to: request, at: Self.now).response
        }
        #expect(responses.map(\.status) == fault.statuses)
        for response in responses where response.status >= 400 { #expect(!response.fault.isEmpty) }
    }

    @Test func `a token is for one origin and a day`() throws {
        var service = makeService()
        let other = try message(changes: ["authorization": try authorization(origin: "https://other.example")])
        #expect(service.response(to: other, at: Self.now).response.status == 403)
        let old = try message()
        #expect(service.response(to: old, at: Self.now).response.status == 201)
        #expect(service.response(to: old, at: Self.now + 12 * 3_600_000).response.status == 403, "it has ended")
        let early = try message(changes: ["authorization": try authorization(at: Self.now + 13 * 3_600_000)])
        #expect(service.response(to: early, at: Self.now).response.status == 403, "it ends in more than a day")
    }

    /// The answer of a service to a request of another key.
    struct OtherKey: CustomTestStringConvertible {
        let pushService: WebPush.PushService
        let status: UInt16
        /// Words of the body; nil if it has none.
        var words: String?

        var testDescription: String { "\(pushService)" }
    }

    @Test(
        arguments: [
            OtherKey(pushService: .google, status: 403, words: "do not correspond to the credentials"),
            OtherKey(pushService: .mozilla, status: 401, words: #""errno":109"#),
            OtherKey(pushService: .apple, status: 400, words: "VapidPkHashMismatch"),
            OtherKey(pushService: .windows, status: 401),
        ])
    func `a subscription belongs to one key`(_ expected: OtherKey) throws {
        var service = makeService(expected.pushService)
        #expect(service.response(to: try message(), at: Self.now).response.status == 201)
        let other = try SigningKey(pem: authority.ellipticKey("other.key"))
        let foreign = try message(changes: ["authorization": try authorization(other)])
        let response = service.response(to: foreign, at: Self.now).response
        #expect(response.status == expected.status)
        if let words = expected.words { #expect(response.body.contains(words)) }
        // CarillonWebPush understands each of them.
        let answer = WebPushAnswer.judgeFailure(
            status: response.status, body: Array(response.body.utf8),
            detail: response.fields["x-wns-error-description"],
            service: WebPushService(rawValue: expected.pushService.rawValue) ?? .other, isKeyProven: false)
        #expect(answer.verdict == .refused(.forbidden, deadSince: nil))
    }

    @Test func `removed and unknown subscriptions are answered with their status`() throws {
        var service = makeService()
        service.goneBrowsers = [browser.id]
        #expect(service.response(to: try message(), at: Self.now).response.status == 410)
        var other = try message()
        other.path = "/push/other"
        #expect(service.response(to: other, at: Self.now).response.status == 404)
        other.method = "GET"
        #expect(service.response(to: other, at: Self.now).response.status == 404)
    }

    @Test func `a body above 4096 bytes is refused`() throws {
        var service = makeService()
        var large = try message()
        large.body = [UInt8](repeating: 1, count: 4_097)
        large.bodyLength = 4_097
        #expect(service.response(to: large, at: Self.now).response.status == 413)
    }

    /// Places in the salt, the length of the record, the key and the text.
    @Test(arguments: [0, 20, 21, 50, 86, 100])
    func `a body with a wrong bit is accepted and counted as unreadable`(at index: Int) throws {
        var service = makeService()
        var broken = try message()
        broken.body[index] ^= 0x40
        #expect(service.response(to: broken, at: Self.now).response.status == 201)
        #expect(service.unreadableCount == 1)
    }

    @Test(arguments: [1, 20, 21, 86, 102])
    func `a body that was cut is counted as unreadable`(byteCount: Int) throws {
        var service = makeService()
        var short = try message()
        short.body = Array(short.body.prefix(byteCount))
        _ = service.response(to: short, at: Self.now)
        #expect(service.unreadableCount == 1)
    }

    @Test func `an empty body is accepted and not counted as unreadable`() throws {
        var service = makeService()
        var empty = try message()
        empty.body = []
        empty.bodyLength = 0
        #expect(service.response(to: empty, at: Self.now).response.status == 201)
        #expect(service.unreadableCount == 0)
    }
}
