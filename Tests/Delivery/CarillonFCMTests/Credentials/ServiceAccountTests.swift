import CarillonCore
import CarillonFCM
import CarillonTLS
import CarillonTestKit
import Foundation
import Testing

/// Key files of Google, and the assertions that they sign.
struct ServiceAccountTests {
    /// A text that is no key: only its first line is looked at.
    static let key = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"

    static func read(_ file: [UInt8]) throws -> ServiceAccount {
        try file.withUnsafeBytes { try ServiceAccount.read($0) }
    }

    static func privateKey(of file: [UInt8]) throws -> String {
        let key = try SecretBytes(capacity: file.count) { room in
            try file.withUnsafeBytes { try ServiceAccount.writePrivateKey(of: $0, into: room) }
        }
        return key.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    static func makeFile(_ changes: [String: Any?] = [:]) throws -> [UInt8] {
        var members: [String: Any] = [
            "type": "service_account", "project_id": "game-1a2b3", "private_key_id": "0123456789abcdef",
            "private_key": key, "client_email": "sender@game-1a2b3.iam.gserviceaccount.com", "client_id": "1",
            "auth_uri": "https://accounts.google.com/o/oauth2/auth", "token_uri": "https://oauth2.googleapis.com/token",
            "universe_domain": "googleapis.com",
        ]
        for (name, value) in changes { members[name] = value }
        return Array(try JSONSerialization.data(withJSONObject: members))
    }

    @Test func `a service account is read from a file of Google`() throws {
        let file = try Self.makeFile()
        let account = try Self.read(file)
        #expect(account.projectID == "game-1a2b3")
        #expect(account.privateKeyID == "0123456789abcdef")
        #expect(account.clientEmail == "sender@game-1a2b3.iam.gserviceaccount.com")
        #expect(account.tokenURI == "https://oauth2.googleapis.com/token")
        #expect(account.tokenAddress.host == "oauth2.googleapis.com")
        #expect(account.tokenAddress.port == 443)
        #expect(account.tokenAddress.target == "/token")
        #expect(try Self.privateKey(of: file) == Self.key)
    }

    @Test(
        arguments: [
            (#"a\nb\r\t\/"#, "a\nb\r\t/"), (#"a\u003d\u003D\u000a"#, "a==\n"), ("", ""),
            (#"a\u00e9"#, nil), (#"a\u0"#, nil), (#"a\"b"#, nil), (#"a\\"#, nil), ("\u{e9}", nil),
        ] as [(String, String?)])
    func `escapes of a key are replaced`(_ text: String, _ key: String?) throws {
        let file = Array(#"{"x": [{"private_key": "other"}, "private_key", "y"], "private_key" : "\#(text)"}"#.utf8)
        #expect((try? Self.privateKey(of: file)) == key)
    }

    @Test(arguments: [
        "", "{", #"{"private_key""#, #"{"private_key": ""#, #"{"private_key": "a\""#, #"{"private_key": 7}"#,
        #"{"a": {"private_key": "b"}}"#, #"["private_key", "b"]"#, #"{"a": "private_key", "b": "c"}"#, "}}}]]]",
    ])
    func `a file without a key is refused`(_ text: String) {
        #expect(throws: ServiceAccountError.badValue("private_key")) { try Self.privateKey(of: Array(text.utf8)) }
    }

    @Test func `a key under a name with escapes is refused`() throws {
        let file = String(decoding: try Self.makeFile(), as: UTF8.self)
        let escaped = file.replacingOccurrences(of: "\"private_key\"", with: #""private\u005fkey""#)
        #expect(throws: ServiceAccountError.badValue("private_key")) { try Self.read(Array(escaped.utf8)) }
    }

    /// A member of the file with a wrong value; nil if the file lacks it.
    struct Fault: CustomTestStringConvertible {
        let member: String
        var value: String?
        let error: ServiceAccountError

        var testDescription: String { "\(member) is \(value ?? "missing")" }
    }

    static let faults = [
        Fault(member: "type", value: "authorized_user", error: .otherKind),
        Fault(member: "type", error: .missing("type")),
        Fault(member: "project_id", error: .missing("project_id")),
        Fault(member: "project_id", value: "a/b", error: .badValue("project_id")),
        Fault(member: "project_id", value: "", error: .badValue("project_id")),
        Fault(member: "private_key_id", value: "a b", error: .badValue("private_key_id")),
        Fault(member: "private_key", error: .missing("private_key")),
        Fault(member: "private_key", value: "secret", error: .badValue("private_key")),
        Fault(member: "private_key", value: "-----BEGIN ENCRYPTED PRIVATE KEY-----", error: .badValue("private_key")),
        Fault(member: "client_email", value: "sender\n@x", error: .badValue("client_email")),
        Fault(member: "client_email", value: "x", error: .badValue("client_email")),
        Fault(member: "token_uri", value: "http://oauth2.googleapis.com/token", error: .badValue("token_uri")),
        Fault(member: "token_uri", value: "https://127.0.0.1/token", error: .badValue("token_uri")),
        Fault(member: "token_uri", value: "https://user@oauth2.googleapis.com/token", error: .badValue("token_uri")),
    ]

    @Test(arguments: faults)
    func `a fault names its member and shows no value`(_ fault: Fault) throws {
        let file = try Self.makeFile([fault.member: fault.value])
        let error = #expect(throws: ServiceAccountError.self) { try Self.read(file) }
        #expect(error == fault.error)
        let text = "\(fault.error) \(error.debugDescription)"
        for secret in ["c2VjcmV0", "secret", "authorized_user", "sender@"] { #expect(!text.contains(secret)) }
    }

    @Test func `bytes that are no service account are refused`() throws {
        #expect(throws: ServiceAccountError.notJSON(.notAnObject)) { try Self.read(Array("[]".utf8)) }
        #expect(throws: ServiceAccountError.notJSON(.encoding)) { try Self.read([0x7B, 0xFF, 0x7D]) }
        #expect(throws: ServiceAccountError.tooLarge) {
            try Self.read([UInt8](repeating: 0x20, count: 16_385))
        }
        #expect(throws: ServiceAccountError.notText("project_id")) {
            try Self.read(try Self.makeFile(["project_id": 7]))
        }
    }

    @Test func `an assertion has the claims that Google asks for`() throws {
        let account = try Self.read(try Self.makeFile())
        let input = JWTAssertion(account: account, issuedAtSeconds: 1_790_000_000).signingInput
        let parts = input.split(separator: UInt8(ascii: ".")).compactMap { Base64URL.decode($0) }
        try #require(parts.count == 2)
        #expect(
            String(decoding: parts[0], as: UTF8.self) == #"{"alg":"RS256","typ":"JWT","kid":"0123456789abcdef"}"#)
        #expect(
            String(decoding: parts[1], as: UTF8.self)
                == #"{"iss":"sender@game-1a2b3.iam.gserviceaccount.com","#
                + #""scope":"https://www.googleapis.com/auth/firebase.messaging","#
                + #""aud":"https://oauth2.googleapis.com/token","iat":1790000000,"exp":1790003600}"#)
    }

    @Test func `an assertion is signed and exchanged`() throws {
        let authority = try TestAuthority()
        try authority.openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out google.key")
        let pem = SecretBytes(copying: try authority.bytes("google.key"))
        let account = try Self.read(try Self.makeFile())
        let input = JWTAssertion(account: account, issuedAtSeconds: 1_790_000_000).signingInput
        let signature = try RSASigningKey(pem: pem).sign(input)
        let body = String(decoding: JWTAssertion.requestBody(signingInput: input, signature: signature), as: UTF8.self)
        let prefix = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
        let token = try #require(body.removing(prefix: prefix)).split(separator: ".")
        try #require(token.count == 3)
        let signed = Array("\(token[0]).\(token[1])".utf8)
        #expect(
            try RSAVerifyingKey(pem: pem).isValidSignature(
                try #require(Base64URL.decode(token[2].utf8)), for: signed))
        // The time of an assertion is not trusted to be small.
        #expect(JWTAssertion(account: account, issuedAtSeconds: .max).signingInput.count > 100)
    }
}
