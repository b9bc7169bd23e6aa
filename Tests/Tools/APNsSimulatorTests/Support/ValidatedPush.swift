import CarillonCore
import CarillonTLS
import Testing

@testable import apns_simulator

/// A push that the simulator accepts, unless a test makes it invalid.
struct ValidatedPush: Sendable {
    /// The time of the push and of its token, in seconds.
    static let now: Int64 = 1_700_000_000
    private static let token = String(repeating: "ab", count: 32)
    private static let signingKey = Result { try SigningKey(pem: SecretBytes(copying: TestKey.pem.utf8)) }
    private static let publicKey = Result { try VerifyingKey(pem: SecretBytes(copying: TestKey.pem.utf8)) }

    var method = "POST"
    var path = "/3/device/" + ValidatedPush.token
    var headers = ["apns-topic": "com.example.app", "apns-push-type": "alert"]
    var authorization: String? = ValidatedPush.bearer()
    /// Headers that a request has once more.
    var extra: [(String, String)] = []
    var payload = #"{"aps":{"alert":"Hello"}}"#

    /// Makes the header of a provider token.
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

    private static func validator() throws -> PushValidator {
        let key = try publicKey.get()
        let signers = ["KEYID00001", "KEYID00002"].map {
            ProviderTokenVerifier.Signer(team: "TEAMID0001", keyID: $0, key: key)
        }
        return PushValidator(
            apps: [Array("com.example.app".utf8)],
            tokenVerifier: ProviderTokenVerifier(signers: signers)
        )
    }

    /// Returns the response of the simulator on a connection with these credentials.
    func response(
        with credentials: inout PushValidator.Credentials, atSeconds now: Int64 = ValidatedPush.now
    ) throws -> SimulatedResponse {
        var fields = [(":method", method), (":path", path)] + headers.sorted { $0.key < $1.key }
        if let authorization { fields.append(("authorization", authorization)) }
        fields += extra
        return try ReceivedPush.with(fields: fields, payload: payload) { request in
            try Self.validator().response(to: request, with: &credentials, atSeconds: now).response
        }
    }

    static func base64URL(_ bytes: [UInt8]) -> String {
        String(decoding: Base64URL.encode(bytes), as: UTF8.self)
    }
}
