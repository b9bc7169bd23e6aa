import CarillonTLS
import CarillonTestKit
import Foundation
import Testing

struct KeyTests {
    let authority: TestAuthority
    let message = Array("header.claims".utf8)

    init() throws { authority = try TestAuthority() }

    private func makeKey(_ name: String, curve: String) throws -> SecretBytes {
        try authority.openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:\(curve) -out \(name)")
        return SecretBytes(copying: try authority.bytes(name))
    }

    @Test func aSignatureIsRawAndVerifies() throws {
        let pem = try makeKey("key.p8", curve: "P-256")
        let (key, publicKey) = (try SigningKey(pem: pem), try VerifyingKey(pem: pem))
        // Many, so that some have a half with leading zeros.
        for number in 0..<600 {
            let message = message + Array("\(number)".utf8)
            var signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(publicKey.isValidSignature(signature, for: message))
            signature[number % 64] ^= 1
            #expect(!publicKey.isValidSignature(signature, for: message))
        }
        #expect(!publicKey.isValidSignature([], for: message))
        #expect(!publicKey.isValidSignature([UInt8](repeating: 0, count: 64), for: message))
    }

    @Test func aSignatureVerifiesWithOpenSSL() throws {
        let key = try SigningKey(pem: makeKey("key.p8", curve: "P-256"))
        let raw = try key.sign(message)
        try authority.openssl("pkey -in key.p8 -pubout -out public.pem")
        try Data(message).write(to: URL(fileURLWithPath: authority.path("message")))
        try Data(der(raw)).write(to: URL(fileURLWithPath: authority.path("signature")))
        let verdict = try authority.openssl("dgst -sha256 -verify public.pem -signature signature message")
        #expect(verdict == "Verified OK\n")
    }

    /// Converts a signature in another way than the module: two positive integers in a sequence.
    private func der(_ raw: [UInt8]) -> [UInt8] {
        let integers = [raw.prefix(32), raw.suffix(32)].flatMap { half -> [UInt8] in
            var digits = Array(half.drop { $0 == 0 })
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            return [2, UInt8(digits.count)] + digits
        }
        return [0x30, UInt8(integers.count)] + integers
    }

    @Test func verifyingKeyComesFromEitherHalf() throws {
        let pem = try makeKey("key.p8", curve: "P-256")
        let key = try SigningKey(pem: pem)
        let signature = try key.sign(message)
        #expect(try VerifyingKey(pem: pem).isValidSignature(signature, for: message))
        try authority.openssl("pkey -in key.p8 -pubout -out public.pem")
        let publicKey = SecretBytes(copying: try authority.bytes("public.pem"))
        #expect(try VerifyingKey(pem: publicKey).isValidSignature(signature, for: message))
    }

    @Test func aKeyOfAnotherKindIsRefusedWithAText() throws {
        let other = try makeKey("p384", curve: "P-384")
        let error = #expect(throws: TLSError.self) { try SigningKey(pem: other) }
        #expect(error?.description.contains("P-256") == true)
        let noise = SecretBytes(copying: Array("noise".utf8))
        #expect(throws: TLSError.self) { try SigningKey(pem: noise) }
        try authority.openssl("pkcs8 -topk8 -in p384 -out locked -passout pass:secret")
        let locked = SecretBytes(copying: try authority.bytes("locked"))
        #expect(throws: TLSError.self) { try SigningKey(pem: locked) }
    }

    @Test(arguments: ["", " -legacy"]) func aKeyAndACertificateAreReadFromPKCS12(option: String) throws {
        try authority.issue("push", subject: "/UID=com.example.app/CN=push", names: "DNS:push.test")
        try authority.openssl(
            "pkcs12 -export\(option) -in push.pem -inkey push.key -certfile ca.pem -out push.p12 -passout pass:secret"
        )
        let archive = SecretBytes(copying: try authority.bytes("push.p12"))
        let identity = try TLSIdentity.pkcs12(archive, password: "secret")
        #expect(identity.certificate == (try authority.identity("push").certificate))
        #expect(identity.certificate.userID == "com.example.app")
        let remaining = try #require(identity.certificate.notAfter) - Int64(Date().timeIntervalSince1970)
        #expect((80_000...90_000).contains(remaining))
        #expect(identity.certificate.push.names.isEmpty)
        #expect(!identity.certificate.push.isForProduction)
        #expect(throws: TLSError.self) { try TLSIdentity.pkcs12(archive, password: "wrong") }
        _ = try TLSContext.client(identity: identity)
    }

    /// The topics are as Apple makes them: each is followed by its kinds.
    @Test func topicsOfACertificateAreRead() throws {
        let long = "com.example." + String(repeating: "a", count: 140)
        try authority.issue(
            "push", subject: "/UID=com.example.app/CN=push",
            names: """
                DNS:push.test
                1.2.840.113635.100.6.3.1=ASN1:NULL
                1.2.840.113635.100.6.3.2=ASN1:NULL
                1.2.840.113635.100.6.3.6=ASN1:SEQUENCE:topics
                [topics]
                a=UTF8:com.example.app
                b=SEQUENCE:app
                c=UTF8:com.example.app.voip
                d=SEQUENCE:voip
                e=UTF8:\(long)
                [app]
                a=UTF8:app
                [voip]
                a=UTF8:voip
                """)
        let push = try authority.identity("push").certificate.push
        #expect(push.names == ["com.example.app", "com.example.app.voip", long])
        #expect(push.isForSandbox)
        #expect(push.isForProduction)
    }

    @Test(
        arguments: [
            ("NULL", []), ("UTF8:com.example.app", []), ("DER:30", []), ("DER:30820010", []), ("DER:3003", []),
            ("DER:300B0C09636F6D2E612E617070", ["com.a.app"]), ("DER:30090C09636F6D2E612E617070", []),
            ("DER:30040C02FFFE", []), ("DER:3080", []), ("DER:30060C01610C8400", ["a"]),
        ] as [(String, [String])])
    func aBrokenListOfTopicsEndsWhereItIsBroken(_ value: String, _ names: [String]) throws {
        let value = value.hasPrefix("DER:") ? value : "ASN1:\(value)"
        try authority.issue(
            "push", subject: "/CN=push",
            names: "DNS:push.test\n1.2.840.113635.100.6.3.6=\(value)\n1.2.840.113635.100.6.3.1=ASN1:NULL")
        let push = try authority.identity("push").certificate.push
        #expect(push.names == names)
        #expect(push.isForSandbox)
        #expect(!push.isForProduction)
    }

    @Test func aKeyOfAnotherCertificateIsRefused() throws {
        try authority.issue("one", subject: "/CN=one", names: "DNS:one.test")
        try authority.issue("two", subject: "/CN=two", names: "DNS:two.test")
        #expect(throws: TLSError.self) {
            try TLSIdentity.pemFiles(certificateChain: authority.path("one.pem"), key: authority.path("two.key"))
        }
    }
}
