import Testing

@testable import apns_simulator

/// Apple's rules for a push.
struct PushValidatorTests {
    /// A push, and the reason for which it is refused; nil if it is accepted.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: Reason?
        var hasCertificate: Bool
        var push: ValidatedPush

        init(
            _ name: String, expected: Reason?, certificate: Bool = false,
            _ change: (inout ValidatedPush) -> Void = { _ in }
        ) {
            testDescription = name
            self.expected = expected
            hasCertificate = certificate
            push = ValidatedPush()
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

        static func authorization(
            _ name: String, _ authorization: String?, expected: Reason?, certificate: Bool = false
        ) -> Case {
            Case(name, expected: expected, certificate: certificate) { $0.authorization = authorization }
        }

        static func header(_ name: String, _ value: String?, expected: Reason?) -> Case {
            Case("\(name): \(value ?? "absent")", expected: expected) { $0.headers[name] = value }
        }
    }

    private func expectResponse(to one: Case) throws {
        var credentials = PushValidator.Credentials(topics: one.hasCertificate ? [] : nil)
        let expected = one.expected.map { SimulatedResponse.rejected($0) } ?? .accepted
        #expect(try one.push.response(with: &credentials) == expected)
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

    @Test(arguments: requests)
    func `a request is accepted or refused with Apple's reason`(_ one: Case) throws { try expectResponse(to: one) }

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

    @Test(arguments: types)
    func `a push type has its topic, its priority and its credential`(_ one: Case) throws {
        try expectResponse(to: one)
    }

    private static func bearer(minutesOld minutes: Int64) -> String {
        ValidatedPush.bearer(issuedAtSeconds: ValidatedPush.now - minutes * 60)
    }

    private static var bearerWithAChangedClaim: String {
        let parts = ValidatedPush.bearer().split(separator: ".")
        let claims = ValidatedPush.base64URL(Array(#"{"iss":"A","iat":1}"#.utf8))
        return "\(parts[0]).\(claims).\(parts[2])"
    }

    static let providerTokens: [Case] = [
        .authorization("none", nil, expected: .missingProviderToken),
        .authorization("none, with a certificate", nil, expected: nil, certificate: true),
        .authorization("basic", "basic abc", expected: .missingProviderToken),
        .authorization("no JWT", "bearer abc", expected: .invalidProviderToken),
        .authorization("59 minutes old", bearer(minutesOld: 59), expected: nil),
        .authorization("61 minutes old", bearer(minutesOld: 61), expected: .expiredProviderToken),
        .authorization("from the future", bearer(minutesOld: -60), expected: .expiredProviderToken),
        .authorization(
            "before time itself", ValidatedPush.bearer(issuedAtSeconds: .min), expected: .expiredProviderToken),
        .authorization("an unknown team", ValidatedPush.bearer(team: "OTHER00001"), expected: .invalidProviderToken),
        .authorization("an unknown key", ValidatedPush.bearer(keyID: "OTHER00001"), expected: .invalidProviderToken),
        .authorization("no signature wanted", ValidatedPush.bearer(algorithm: "none"), expected: .invalidProviderToken),
        .authorization("a changed claim", bearerWithAChangedClaim, expected: .invalidProviderToken),
    ]

    @Test(arguments: providerTokens)
    func `a provider token is accepted or refused with Apple's reason`(_ one: Case) throws {
        try expectResponse(to: one)
    }

    @Test func `a connection changes its provider token at most every 20 minutes`() throws {
        var credentials = PushValidator.Credentials()
        let start = ValidatedPush.now
        var push = ValidatedPush()
        #expect(try push.response(with: &credentials) == .accepted)
        push.authorization = ValidatedPush.bearer(issuedAtSeconds: start + 1)
        #expect(
            try push.response(with: &credentials, atSeconds: start + 60) == .rejected(.tooManyProviderTokenUpdates))
        #expect(try push.response(with: &credentials, atSeconds: start + 20 * 60) == .accepted)
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
    func `a certificate allows pushes to its topics only`(_ certified: CertifiedPush) throws {
        var credentials = PushValidator.Credentials(topics: certified.certificate.map { Array($0.utf8) })
        var push = ValidatedPush()
        push.authorization = nil
        push.headers = ["apns-push-type": certified.type]
        push.headers["apns-topic"] = certified.topic
        let response = try push.response(with: &credentials)
        #expect(response == certified.refusal.map { .rejected($0) } ?? .accepted)
    }

    @Test func `a connection may not change the key of its tokens`() throws {
        var credentials = PushValidator.Credentials()
        var push = ValidatedPush()
        #expect(try push.response(with: &credentials) == .accepted)
        push.authorization = ValidatedPush.bearer(keyID: "KEYID00002")
        #expect(try push.response(with: &credentials) == .rejected(.unrelatedKeyID))
    }

    private static func payload(_ count: Int) -> String {
        #"{"a":""# + String(repeating: "x", count: count - 8) + #""}"#
    }
}
