import CarillonCore
import CarillonTLS
import CarillonTestKit
import Testing

@testable import push_simulator

/// The assertions that the token endpoint accepts.
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
        (message.method, message.path, message.body, message.bodyLength) = ("POST", "/token", form, form.count)
        message.set("content-type", "application/x-www-form-urlencoded")
        return message
    }

    @Test func anAssertionIsExchanged() throws {
        #expect(
            try response().body
                == #"{"access_token":"ya29.c.simulated-1-game","expires_in":3599,"token_type":"Bearer"}"#)
    }

    @Test(
        arguments: [
            ("alg", "none", "Failed to parse"), ("kid", "key2", "Invalid JWT Signature."),
            ("iss", "other@game.example", "account not found"),
            ("aud", "https://oauth2.googleapis.com/token", "aud must be"),
            ("scope", "https://www.googleapis.com/auth/drive", "Invalid OAuth scope"),
            ("exp", .integer(now + 3_601), "short-lived token"), ("exp", .integer(now), "short-lived token"),
            ("iat", .integer(now + 301), "short-lived token"), ("exp", "1790003600", "short-lived token"),
            ("iat", .integer(.max), "short-lived token"), ("exp", .integer(.min), "short-lived token"),
        ] as [(String, JSONValue, String)])
    func anAssertionWithAFaultIsRefused(_ name: String, _ value: JSONValue, _ words: String) throws {
        let isHeader = name == "alg" || name == "kid"
        let response = try isHeader ? self.response([name: value]) : self.response([:], [name: value])
        #expect(response.status == 400)
        #expect(response.body.contains(words), "\(response.body)")
    }

    @Test(arguments: [
        "", "grant_type=x&assertion=y", "assertion=a.b.c", "grant_type=%zz", "%", "=&=&",
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b",
    ])
    func anotherFormIsRefused(_ form: String) {
        var tokens = AccessTokens()
        #expect(endpoint.response(to: message(Array(form.utf8)), tokens: &tokens, at: 0).status == 400)
        #expect(tokens.issued == 0)
    }
}
