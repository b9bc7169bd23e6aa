import CarillonCore
import Foundation
import Testing

@testable import push_simulator

/// The checks of FCM: each answer with Google's status, words and details.
struct FCMTests {
    static let now: Int64 = 1_790_000_000_000
    static let token = "cTarget1234567890abcde:APA91b" + String(repeating: "x", count: 134)
    static let fid = "cNabcdefghijklmnopqr-_"

    /// FCM with the project `game`, and an access token for it.
    struct GameService {
        var fcm: FCM
        var tokens = AccessTokens()
        let bearer: String

        init(quota: Int? = nil) {
            fcm = FCM(projects: ["game"], quota: quota)
            bearer = tokens.issue(project: "game", endsAt: FCMTests.now + 3_599_000)
        }

        mutating func send(
            _ body: String, path: String = "/v1/projects/game/messages:send", method: String = "POST",
            bearer: String? = nil, at now: Int64 = FCMTests.now
        ) -> ServiceResponse {
            var message = ReceivedRequest()
            message.method = method
            message.path = path
            message.body = Array(body.utf8)
            message.bodyLength = message.body.count
            message.set("authorization", to: bearer ?? "Bearer \(self.bearer)")
            if bearer == "" { message.set("authorization", to: nil) }
            return fcm.response(to: message, tokens: tokens, at: now).response
        }
    }

    static func body(_ message: String, target: String = #""token":"\#(token)""#) -> String {
        #"{"message":{\#(target)\#(message.isEmpty ? "" : ",")\#(message)}}"#
    }

    /// Returns the status, the message, and the names that the details have.
    private func summary(_ response: ServiceResponse) throws -> String {
        guard response.fields["content-type"]?.contains("json") == true else { return "\(response.status) HTML" }
        let object = try JSONSerialization.jsonObject(with: Data(response.body.utf8)) as? [String: Any]
        guard let error = object?["error"] as? [String: Any] else { return "\(response.status)" }
        #expect(error["code"] as? Int == Int(response.status))
        let details = (error["details"] as? [[String: Any]] ?? []).map { detail -> String in
            if let code = detail["errorCode"] as? String { return "FE(\(code))" }
            if let code = detail["statusCode"] as? Int { return "AE(\(code))" }
            if let reason = detail["reason"] as? String { return "EI(\(reason))" }
            let fields = (detail["fieldViolations"] as? [[String: String]] ?? []).map { $0["field"] ?? "?" }
            return "BR(\(fields.joined(separator: ",")))"
        }
        let text = (error["message"] as? String ?? "").prefix(48)
        return ["\(response.status)", error["status"] as? String ?? "", String(text), details.joined(separator: " ")]
            .joined(separator: " | ")
    }

    @Test(arguments: [
        body(""), body("", target: #""fid":"\#(fid)""#), body("", target: #""topic":"news""#),
        body(#""notification":{"title":"T","body":"B"},"android":{"ttl":"3.5s","priority":"high"}"#),
        body(#""android":{"collapseKey":"k","notification":{"channelId":"c"}}"#),
    ])
    func `a valid message is accepted`(_ body: String) throws {
        var service = GameService()
        #expect(try summary(service.send(body)) == "200")
    }

    @Test(arguments: [
        ("{", "400 | INVALID_ARGUMENT | Invalid JSON payload received. Unexpected token. | "),
        (
            #"{"message":{"toen":"x"}}"#,
            #"400 | INVALID_ARGUMENT | Invalid JSON payload received. Unknown name "toe | BR(message)"#
        ),
        (
            body(#""data":{"a":"1","b":12}"#),
            "400 | INVALID_ARGUMENT | Invalid value at 'message.data[1].value' (TYPE_S | BR(message.data[1].value)"
        ),
        (
            body(#""android":{"ttl":"5"}"#),
            "400 | INVALID_ARGUMENT | Invalid value at 'message.android.ttl' (type.goo | BR(message.android.ttl)"
        ),
        (
            body(#""android":{"priority":"urgent"}"#),
            "400 | INVALID_ARGUMENT | Invalid value at 'message.android.priority' (typ | BR(message.android.priority)"
        ),
        (
            body(#""topic":"news""#),
            "400 | INVALID_ARGUMENT | Invalid value at 'message' (oneof), oneof field  | BR(message)"
        ),
        (
            #"{"message":{"data":{}}}"#,
            "400 | INVALID_ARGUMENT | Recipient of the message is not set. | BR(message) FE(INVALID_ARGUMENT)"
        ),
        (
            body("", target: #""topic":"a b""#),
            "400 | INVALID_ARGUMENT | Topic name contains invalid characters. | BR(message) FE(INVALID_ARGUMENT)"
        ),
        (
            body("", target: #""condition":"x""#),
            "400 | INVALID_ARGUMENT | Request contains an invalid argument. | "
        ),
        (
            body(#""data":{"from":"x"}"#),
            "400 | INVALID_ARGUMENT | Invalid data payload key: from | BR(message.data) FE(INVALID_ARGUMENT)"
        ),
        (
            body(#""android":{"data":{"google.a":"x"}}"#),
            "400 | INVALID_ARGUMENT | Invalid data payload key: google.a | BR(message.data) FE(INVALID_ARGUMENT)"
        ),
        (
            body(#""android":{"ttl":"2419200.5s"}"#),
            "400 | INVALID_ARGUMENT | Invalid time to live: it must be from 0 to 24192 | BR(message.android.ttl) "
                + "FE(INVALID_ARGUMENT)"
        ),
        (
            body("", target: #""fid":"xyz""#),
            "404 | NOT_FOUND | Requested entity was not found. | FE(UNREGISTERED)"
        ),
    ])
    func `an invalid message is answered as by FCM`(_ body: String, _ expected: String) throws {
        var service = GameService()
        let found = try summary(service.send(body))
        #expect(found.replacing(".\n |", with: ". |") == expected)
    }

    @Test(arguments: [0, 1]) func `a message has at most four kilobytes`(_ excess: Int) throws {
        var service = GameService()
        let value = String(repeating: "x", count: 4_095 + excess)
        let found = try summary(service.send(Self.body(#""data":{"k":"\#(value)"}"#)))
        let tooLarge =
            "400 | INVALID_ARGUMENT | Message is too large. The maximum is 4K (4096 by | BR() FE(INVALID_ARGUMENT)"
        #expect(found == (excess == 0 ? "200" : tooLarge))
    }

    @Test func `an invalid token is answered in each of the forms that were seen`() throws {
        var service = GameService()
        let bad = Self.body("", target: #""token":"abc""#)
        let details = try (0..<4).map { _ in try #require(try summary(service.send(bad)).split(separator: "|").last) }
        #expect(
            details.map { $0.trimmingCharacters(in: .whitespaces) } == [
                "FE(INVALID_ARGUMENT) BR(message.token)", "BR(message.token) FE(INVALID_ARGUMENT)",
                "FE(INVALID_ARGUMENT)", "FE(INVALID_ARGUMENT) BR(message.token)",
            ])
    }

    @Test(
        arguments: [
            (FCM.DeviceState.unregistered, "404 | NOT_FOUND | Requested entity was not found. | FE(UNREGISTERED)"),
            (.otherSender, "403 | PERMISSION_DENIED | SenderId mismatch | FE(SENDER_ID_MISMATCH)"),
            (
                .thirdParty,
                "401 | UNAUTHENTICATED | Auth error from APNS or Web Push Service | FE(THIRD_PARTY_AUTH_ERROR)"
            ),
            (.overQuota, "429 | RESOURCE_EXHAUSTED | Quota exceeded for the device. | FE(QUOTA_EXCEEDED)"),
            (.deadInAPNs, "400 | INVALID_ARGUMENT | APNs device token is disabled. | FE(INVALID_ARGUMENT) AE(410)"),
        ] as [(FCM.DeviceState, String)])
    func `a device is answered as its state says`(_ state: FCM.DeviceState, _ expected: String) throws {
        var service = GameService()
        service.fcm.states[Self.token] = state
        #expect(try summary(service.send(Self.body(""))) == expected)
        #expect(service.fcm.devices[Self.token]?.refusedCount == 1)
    }

    @Test func `the access token is checked`() throws {
        var service = GameService()
        let other = service.tokens.issue(project: "other", endsAt: Self.now + 1)
        let invalid = "401 | UNAUTHENTICATED | Request had invalid authentication credentials.  "
        #expect(
            try summary(service.send(Self.body(""), bearer: "")).hasSuffix("EI(CREDENTIALS_MISSING)"))
        #expect(try summary(service.send(Self.body(""), bearer: "Bearer x")) == invalid + "| ")
        #expect(
            try summary(service.send(Self.body(""), at: Self.now + 3_600_000)) == invalid + "| EI(ACCESS_TOKEN_EXPIRED)"
        )
        #expect(
            try summary(service.send(Self.body(""), bearer: "Bearer \(other)")).hasSuffix("EI(IAM_PERMISSION_DENIED)"))
        service.tokens.revoke()
        #expect(try summary(service.send(Self.body(""))) == invalid + "| ")
    }

    @Test(arguments: [
        ("/batch", "POST"), ("/v1/projects/game/messages:sen", "POST"), ("/v1/projects//messages:send", "POST"),
        ("/v1/projects/game/messages:send", "GET"), ("/", "POST"), ("", ""),
    ])
    func `an unknown path is answered with a page of the front end`(_ path: String, _ method: String) throws {
        var service = GameService()
        #expect(try summary(service.send(Self.body(""), path: path, method: method)) == "404 HTML")
    }

    @Test func `a project has a quota a minute`() throws {
        var service = GameService(quota: 3)
        func send(_ number: Int, at now: Int64) throws -> String {
            let token = "cTarget1234567890abc\(10 + number):APA91b" + String(repeating: "x", count: 134)
            return try summary(service.send(Self.body("", target: #""token":"\#(token)""#), at: now))
        }
        #expect(try (0..<3).map { try send($0, at: Self.now) } == ["200", "200", "200"])
        let over =
            "429 | RESOURCE_EXHAUSTED | Quota exceeded for quota metric 'Send requests'  | EI(RATE_LIMIT_EXCEEDED)"
        #expect(try send(4, at: Self.now + 59_999) == over)
        #expect(try send(5, at: Self.now + 60_000) == "200")
    }

    @Test func `a device takes 240 messages a minute`() throws {
        var service = GameService()
        for number in 0..<240 { #expect(service.send(Self.body(#""data":{"n":"\#(number)"}"#)).status == 200) }
        #expect(service.send(Self.body("")).status == 429)
        #expect(service.send(Self.body(""), at: Self.now + 60_000).status == 200)
    }

    /// FCM keeps four collapse keys for a device.
    @Test func `a device with a fifth collapse key is counted`() throws {
        var service = GameService()
        func send(key: Int) { _ = service.send(Self.body(#""android":{"collapse_key":"k\#(key)"}"#)) }
        for key in [1, 2, 3, 4, 4] { send(key: key) }
        #expect(service.fcm.devicesOverCollapseKeys == 0)
        send(key: 5)
        #expect(service.fcm.devicesOverCollapseKeys == 1)
    }

    @Test func `the same message twice is a duplicate`() throws {
        var service = GameService()
        for number in [1, 2] { _ = service.send(Self.body(#""data":{"n":"\#(number)"}"#)) }
        #expect(service.fcm.duplicateCount == 0)
        _ = service.send(Self.body(#""data":{"n":"2"}"#))
        #expect(service.fcm.duplicateCount == 1)
    }
}
