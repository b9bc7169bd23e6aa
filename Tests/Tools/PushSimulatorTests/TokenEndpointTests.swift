import CarillonCore
import CarillonTLS
import CarillonTestKit
import Testing

@testable import push_simulator

/// The assertions that the token endpoint exchanges for a token, and those that it refuses as Google does.
struct TokenEndpointTests {
    private let key: RSASigningKey
    private let endpoint: TokenEndpoint

    init() throws {
        let authority = try TestAuthority()
        try authority.openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out google.key")
        let pem = SecretBytes(copying: try authority.bytes("google.key"))
        key = try RSASigningKey(pem: pem)
        let account = Account(
            project: "game", email: "sender@game.example", keyID: "key1", tokenURI: "https://localhost:1/token",
            key: try RSAVerifyingKey(pem: pem))
        endpoint = TokenEndpoint(accounts: [account], lifetimeSeconds: 3_599)
    }

    private static let now: Int64 = 1_790_000_000
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    private func response(_ header: [String: JSONValue] = [:], _ claims: [String: JSONValue] = [:]) throws
        -> ServiceResponse
    {
        let header = ["alg": "RS256", "typ": "JWT", "kid": "key1"].merging(header) { $1 }
        let claims: [String: JSONValue] = [
            "iss": "sender@game.example", "scope": .text(Self.scope), "aud": "https://localhost:1/token",
            "iat": .integer(Self.now), "exp": .integer(Self.now + 3_600),
        ].merging(claims) { $1 }
        let parts = try [header, claims].map { Base64URL.encode(try JSONValue.encode($0, field: "")) }
        let signed = parts[0] + [UInt8(ascii: ".")] + parts[1]
        let token = signed + [UInt8(ascii: ".")] + Base64URL.encode(try key.sign(signed))
        var form = Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=".utf8)
        form += token
        var tokens = AccessTokens()
        return endpoint.response(to: message(form), tokens: &tokens, at: Self.now * 1_000)
    }

    private func message(_ form: [UInt8]) -> ReceivedRequest {
        var message = ReceivedRequest()
        message.method = "POST"
        message.path = "/token"
        message.body = form
        message.bodyLength = form.count
        message.set("content-type", to: "application/x-www-form-urlencoded")
        return message
    }

    @Test func `an assertion is exchanged`() throws {
        #expect(
            try response().body
                == #"{"access_token":"ya29.c.simulated-1-game","expires_in":3599,"token_type":"Bearer"}"#)
    }

    /// A wrong value of an assertion, and words of the answer.
    struct Fault: CustomTestStringConvertible {
        let name: String
        let value: JSONValue
        let words: String

        var testDescription: String { "\(name): \(words)" }
    }

    @Test(
        arguments: [
            Fault(name: "alg", value: "none", words: "Failed to parse"),
            Fault(name: "kid", value: "key2", words: "Invalid JWT Signature."),
            Fault(name: "iss", value: "other@game.example", words: "account not found"),
            Fault(name: "aud", value: "https://oauth2.googleapis.com/token", words: "aud must be"),
            Fault(name: "scope", value: "https://www.googleapis.com/auth/drive", words: "Invalid OAuth scope"),
            Fault(name: "exp", value: .integer(now + 3_601), words: "short-lived token"),
            Fault(name: "exp", value: .integer(now), words: "short-lived token"),
            Fault(name: "iat", value: .integer(now + 301), words: "short-lived token"),
            Fault(name: "exp", value: "1790003600", words: "short-lived token"),
            Fault(name: "iat", value: .integer(.max), words: "short-lived token"),
            Fault(name: "exp", value: .integer(.min), words: "short-lived token"),
        ])
    func `an assertion with a fault is refused`(_ fault: Fault) throws {
        let isHeader = fault.name == "alg" || fault.name == "kid"
        let wrong = [fault.name: fault.value]
        let response = try isHeader ? self.response(wrong) : self.response([:], wrong)
        #expect(response.status == 400)
        #expect(response.body.contains(fault.words), "\(response.body)")
    }

    @Test(arguments: [
        "", "grant_type=x&assertion=y", "assertion=a.b.c", "grant_type=%zz", "%", "=&=&",
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b",
    ])
    func `a request of another form is refused`(_ form: String) {
        var tokens = AccessTokens()
        #expect(endpoint.response(to: message(Array(form.utf8)), tokens: &tokens, at: 0).status == 400)
        #expect(tokens.issuedCount == 0)
    }
}
