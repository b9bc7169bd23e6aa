import CarillonCore
import CarillonTLS
import Testing

@testable import apns_simulator

/// Apple's rules for a push.
struct ValidatorTests {
    static let now: Int64 = 1_700_000_000
    static let token = String(repeating: "ab", count: 32)
    static let signingKey = Result { try SigningKey(pem: SecretBytes(copying: TestKey.pem.utf8)) }
    static let publicKey = Result { try VerifyingKey(pem: SecretBytes(copying: TestKey.pem.utf8)) }

    /// A valid push, which a case makes invalid.
    struct Push: Sendable {
        var method = "POST"
        var path = "/3/device/" + ValidatorTests.token
        var headers = ["apns-topic": "com.example.app", "apns-push-type": "alert"]
        var authorization: String? = ValidatorTests.bearer()
        var extra: [(String, String)] = []
        var payload = #"{"aps":{"alert":"Hello"}}"#
    }

    static func bearer(
        issuedAtSeconds: Int64 = now,
        team: String = "TEAMID0001",
        keyID: String = "KEYID00001",
        algorithm: String = "ES256"
    ) -> String {
        let head = base64URL(Array(#"{"alg":"\#(algorithm)","kid":"\#(keyID)"}"#.utf8))
        let claims = base64URL(Array(#"{"iss":"\#(team)","iat":\#(issuedAtSeconds)}"#.utf8))
        let signed = head + "." + claims
        do {
            return "bearer " + signed + "." + base64URL(try signingKey.get().sign(Array(signed.utf8)))
        } catch {
            Issue.record(error, "the key of the tests signs nothing")
            return ""
        }
    }

    static func validator() throws -> Validator {
        let key = try publicKey.get()
        let signers = ["KEYID00001", "KEYID00002"].map {
            ProviderTokens.Signer(team: "TEAMID0001", keyID: $0, key: key)
        }
        return Validator(
            apps: [Array("com.example.app".utf8)],
            providerTokens: ProviderTokens(signers: signers)
        )
    }

    static func response(
        to push: Push,
        _ credentials: inout Validator.Credentials,
        now: Int64 = ValidatorTests.now
    ) throws -> SimulatedResponse {
        var fields = [(":method", push.method), (":path", push.path)] + push.headers.sorted { $0.key < $1.key }
        if let authorization = push.authorization { fields.append(("authorization", authorization)) }
        fields += push.extra
        return try ReceivedPush.with(fields: fields, payload: push.payload) { request in
            try validator().response(to: request, with: &credentials, atSeconds: now).response
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: Reason?
        var hasCertificate: Bool
        var push: Push

        init(_ name: String, expected: Reason?, certificate: Bool = false, _ change: (inout Push) -> Void = { _ in }) {
            testDescription = name
            self.expected = expected
            hasCertificate = certificate
            push = Push()
            change(&push)
        }

        static func type(
            _ type: String,
            topic: String,
            _ expected: Reason? = nil,
            certificate: Bool = false,
            priority: String? = nil
        ) -> Case {
            Case("\(type) to \(topic)", expected: expected, certificate: certificate) {
                $0.headers["apns-push-type"] = type
                $0.headers["apns-topic"] = topic
                $0.headers["apns-priority"] = priority
            }
        }

        static func header(_ name: String, _ value: String?, expected: Reason?) -> Case {
            Case("\(name): \(value ?? "absent")", expected: expected) { $0.headers[name] = value }
        }
    }

    static let requests: [Case] = [
        Case("a right push", expected: nil),
        Case("GET", expected: .methodNotAllowed) { $0.method = "GET" },
        Case("another path", expected: .badPath) { $0.path = "/3/devices/aa" },
        Case("an older version", expected: .badPath) { $0.path = "/2/device/aa" },
        Case("no token", expected: .missingDeviceToken) { $0.path = "/3/device/" },
        Case("no token and no slash", expected: .missingDeviceToken) { $0.path = "/3/device" },
        Case("a token of odd length", expected: .badDeviceToken) { $0.path = "/3/device/abc" },
        Case("a token that is not hex", expected: .badDeviceToken) { $0.path = "/3/device/zz" },
        Case("a token of one byte", expected: nil) { $0.path = "/3/device/0F" },
        Case("a token of 200 bytes", expected: nil) { $0.path = "/3/device/" + String(repeating: "aB", count: 200) },
        Case("a token of 201 bytes", expected: .badDeviceToken) {
            $0.path = "/3/device/" + String(repeating: "ab", count: 201)
        },
        Case("a header twice", expected: .duplicateHeaders) { $0.extra = [("apns-topic", "com.example.app")] },
        Case("an empty payload", expected: .payloadEmpty) { $0.payload = "" },
        Case("4096 bytes", expected: nil) { $0.payload = payload(4096) },
        Case("4097 bytes", expected: .payloadTooLarge) { $0.payload = payload(4097) },
        Case("a list", expected: .payloadEmpty) { $0.payload = "[1]" },
        Case("an object that is not closed", expected: .payloadEmpty) { $0.payload = #"{"aps":{}"# },
        Case("an object and more", expected: .payloadEmpty) { $0.payload = "{} {}" },
        Case("too deep", expected: .payloadEmpty) {
            $0.payload = #"{"a":"# + String(repeating: "[", count: 70) + String(repeating: "]", count: 70) + "}"
        },
        Case("every kind of value", expected: nil) {
            $0.payload = #" {"a":[1,-2.5e+3,true,false,null,"\u00e4\n"],"b":{}} "#
        },
        .header("apns-push-type", "alarm", expected: .invalidPushType),
        .header("apns-push-type", nil, expected: nil),
        .header("apns-topic", nil, expected: .missingTopic),
        .header("apns-topic", "", expected: .badTopic),
        .header("apns-topic", "com example", expected: .badTopic),
        .header("apns-topic", "com.other", expected: .topicDisallowed),
        .header("apns-topic", "com.example.app.voip", expected: .topicDisallowed),
        .header("apns-priority", "10", expected: nil),
        .header("apns-priority", "5", expected: nil),
        .header("apns-priority", "1", expected: nil),
        .header("apns-priority", "7", expected: .badPriority),
        .header("apns-priority", "05", expected: .badPriority),
        .header("apns-expiration", "0", expected: nil),
        .header("apns-expiration", "1700000000", expected: nil),
        .header("apns-expiration", "-1", expected: .badExpirationDate),
        .header("apns-expiration", "soon", expected: .badExpirationDate),
        .header("apns-expiration", "", expected: .badExpirationDate),
        .header("apns-id", "11111111-2222-3333-4444-55555555abcd", expected: nil),
        .header("apns-id", "11111111-2222-3333-4444-55555555ABCD", expected: .badMessageID),
        .header("apns-id", "1111111122223333444455555555abcd", expected: .badMessageID),
        .header("apns-collapse-id", String(repeating: "c", count: 64), expected: nil),
        .header("apns-collapse-id", String(repeating: "c", count: 65), expected: .badCollapseID),
    ]

    static let types: [Case] = [
        .type("alert", topic: "com.example.app"),
        .type("background", topic: "com.example.app", priority: "5"),
        .type("background", topic: "com.example.app", .badPriority, priority: "10"),
        .type("background", topic: "com.example.app", .badPriority),
        .type("location", topic: "com.example.app.location-query"),
        .type("voip", topic: "com.example.app.voip"),
        .type("voip", topic: "com.example.app", .topicDisallowed),
        .type("complication", topic: "com.example.app.complication"),
        .type("fileprovider", topic: "com.example.app.pushkit.fileprovider"),
        .type("mdm", topic: "com.example.app"),
        .type("liveactivity", topic: "com.example.app.push-type.liveactivity"),
        .type("pushtotalk", topic: "com.example.app.voip-ptt"),
        .type("widgets", topic: "com.example.app.push-type.widgets"),
        .type("controls", topic: "com.example.app.push-type.controls"),
        .type("alert", topic: "com.example.app", certificate: true),
        .type("liveactivity", topic: "com.example.app.push-type.liveactivity", .topicDisallowed, certificate: true),
        .type("location", topic: "com.example.app.location-query", .topicDisallowed, certificate: true),
        Case("5120 bytes of voip", expected: nil) {
            $0.headers["apns-push-type"] = "voip"
            $0.headers["apns-topic"] = "com.example.app.voip"
            $0.payload = payload(5120)
        },
    ]

    static let providerTokens: [Case] = [
        Case("none", expected: .missingProviderToken) { $0.authorization = nil },
        Case("none, with a certificate", expected: nil, certificate: true) { $0.authorization = nil },
        Case("basic", expected: .missingProviderToken) { $0.authorization = "basic abc" },
        Case("no JWT", expected: .invalidProviderToken) { $0.authorization = "bearer abc" },
        Case("59 minutes old", expected: nil) { $0.authorization = bearer(issuedAtSeconds: now - 59 * 60) },
        Case("61 minutes old", expected: .expiredProviderToken) {
            $0.authorization = bearer(issuedAtSeconds: now - 61 * 60)
        },
        Case("from the future", expected: .expiredProviderToken) {
            $0.authorization = bearer(issuedAtSeconds: now + 3600)
        },
        Case("before time itself", expected: .expiredProviderToken) {
            $0.authorization = bearer(issuedAtSeconds: .min)
        },
        Case("an unknown team", expected: .invalidProviderToken) { $0.authorization = bearer(team: "OTHER00001") },
        Case("an unknown key", expected: .invalidProviderToken) { $0.authorization = bearer(keyID: "OTHER00001") },
        Case("no signature wanted", expected: .invalidProviderToken) { $0.authorization = bearer(algorithm: "none") },
        Case("a changed claim", expected: .invalidProviderToken) {
            let parts = bearer().split(separator: ".")
            $0.authorization = parts[0] + "." + base64URL(Array("{\"iss\":\"A\",\"iat\":1}".utf8)) + "." + parts[2]
        },
    ]

    @Test(arguments: requests + types + providerTokens)
    func eachRequestHasItsResponse(of one: Case) throws {
        var credentials = Validator.Credentials(topics: one.hasCertificate ? [] : nil)
        let expected = one.expected.map { SimulatedResponse.rejected($0) } ?? .accepted
        #expect(try ValidatorTests.response(to: one.push, &credentials) == expected)
    }

    @Test func aConnectionChangesItsProviderTokenAtMostEvery20Minutes() throws {
        var credentials = Validator.Credentials()
        let start = ValidatorTests.now
        var push = Push()
        #expect(try ValidatorTests.response(to: push, &credentials) == .accepted)
        push.authorization = ValidatorTests.bearer(issuedAtSeconds: start + 1)
        #expect(
            try ValidatorTests.response(to: push, &credentials, now: start + 60)
                == .rejected(.tooManyProviderTokenUpdates)
        )
        #expect(try ValidatorTests.response(to: push, &credentials, now: start + 20 * 60) == .accepted)
    }

    /// A push on a connection with a certificate, and the reason for which it is refused, if it is.
    struct CertifiedPush: CustomTestStringConvertible {
        /// The topics of the certificate.
        let certificate: [String]
        let type: String
        var topic: String?
        var refusal: Reason?

        var testDescription: String { "\(type) to \(topic ?? "no topic"), \(certificate.count) topics" }
    }

    static let certificates = [
        CertifiedPush(certificate: ["com.example.app"], type: "alert", topic: "com.example.app"),
        CertifiedPush(certificate: ["com.example.app"], type: "alert"),
        CertifiedPush(certificate: ["com.example.app", "com.example.app.voip"], type: "alert", refusal: .missingTopic),
        CertifiedPush(certificate: [], type: "alert", refusal: .missingTopic),
        CertifiedPush(
            certificate: ["com.example.app", "com.example.app.voip"], type: "voip", topic: "com.example.app.voip"),
        CertifiedPush(
            certificate: ["com.example.app"], type: "voip", topic: "com.example.app.voip", refusal: .topicDisallowed),
        CertifiedPush(
            certificate: ["com.other.app"], type: "alert", topic: "com.example.app", refusal: .topicDisallowed),
        CertifiedPush(
            certificate: ["com.example.app", "com.example.app.voip"], type: "alert", topic: "com.example.app.voip",
            refusal: .topicDisallowed),
        CertifiedPush(certificate: ["com.apple.mgmt.External.1"], type: "mdm", topic: "com.apple.mgmt.External.1"),
        CertifiedPush(
            certificate: ["com.apple.mgmt.External.1"], type: "mdm", topic: "com.apple.mgmt.External.2",
            refusal: .topicDisallowed),
    ]

    @Test(arguments: certificates)
    func aCertificateAllowsPushesToItsTopicsOnly(_ certified: CertifiedPush) throws {
        var credentials = Validator.Credentials(topics: certified.certificate.map { Array($0.utf8) })
        var push = Push()
        push.authorization = nil
        push.headers = ["apns-push-type": certified.type]
        push.headers["apns-topic"] = certified.topic
        let response = try ValidatorTests.response(to: push, &credentials)
        #expect(response == certified.refusal.map { .rejected($0) } ?? .accepted)
    }

    @Test func aConnectionMayNotChangeTheKeyOfItsTokens() throws {
        var credentials = Validator.Credentials()
        var push = Push()
        #expect(try ValidatorTests.response(to: push, &credentials) == .accepted)
        push.authorization = ValidatorTests.bearer(keyID: "KEYID00002")
        #expect(try ValidatorTests.response(to: push, &credentials) == .rejected(.unrelatedKeyID))
    }

    private static func payload(_ count: Int) -> String {
        #"{"a":""# + String(repeating: "x", count: count - 8) + #""}"#
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        String(decoding: Base64URL.encode(bytes), as: UTF8.self)
    }
}
