import CarillonTLS
import CarillonTestKit
import Testing

/// The topics and environments in the certificates that Apple issues for pushes.
struct PushScopeTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority() }

    /// The topics are as Apple makes them: each is followed by its kinds.
    @Test func `topics of a certificate are read`() throws {
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
        let scope = try authority.identity("push").certificate.pushScope
        #expect(scope.apnsTopics == ["com.example.app", "com.example.app.voip", long])
        #expect(scope.isForSandbox)
        #expect(scope.isForProduction)
    }

    @Test(
        arguments: [
            ("NULL", []), ("UTF8:com.example.app", []), ("DER:30", []), ("DER:30820010", []), ("DER:3003", []),
            ("DER:300B0C09636F6D2E612E617070", ["com.a.app"]), ("DER:30090C09636F6D2E612E617070", []),
            ("DER:30040C02FFFE", []), ("DER:3080", []), ("DER:30060C01610C8400", ["a"]),
        ] as [(String, [String])])
    func `a broken list of topics ends where it is broken`(_ value: String, _ names: [String]) throws {
        let value = value.hasPrefix("DER:") ? value : "ASN1:\(value)"
        try authority.issue(
            "push", subject: "/CN=push",
            names: "DNS:push.test\n1.2.840.113635.100.6.3.6=\(value)\n1.2.840.113635.100.6.3.1=ASN1:NULL")
        let scope = try authority.identity("push").certificate.pushScope
        #expect(scope.apnsTopics == names)
        #expect(scope.isForSandbox)
        #expect(!scope.isForProduction)
    }
}
