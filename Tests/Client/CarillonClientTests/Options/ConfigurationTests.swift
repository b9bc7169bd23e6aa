import CarillonClient
import CarillonTestKit
import CarillonWire
import Foundation
import Testing

/// Addresses, the environment, keys, and the texts that never show a key.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct ConfigurationTests {
    private let directory = TemporaryDirectory()

    typealias Configuration = CarillonClient.Configuration

    @Test func `addresses are read from one text`() throws {
        #expect(
            try Configuration.addresses(" a:7474, [::1]:1 ,unix:/run/c.sock") == [
                .tcp(host: "a", port: 7474), .tcp(host: "::1", port: 1), .unixSocket(path: "/run/c.sock"),
            ])
        for text in ["", "a:1,", "a", "a:0", "a:65536", "a:+1", "::1:1", "unix:", ":1"] {
            let error = #expect(throws: CarillonError.self) { try Configuration.addresses(text) }
            #expect(error?.code == .invalidArgument, "\(text)")
            #expect(error?.field == "addresses", "\(text)")
        }
        #expect(throws: CarillonError.self) {
            try Configuration.addresses(Array(repeating: "a:1", count: 33).joined(separator: ","))
        }
    }

    @Test func `empty variables are like missing ones`() throws {
        let usual = try Configuration.fromEnvironment(["CARILLON_SERVER": "", "CARILLON_API_KEY": ""])
        #expect(usual.addresses == [.tcp(host: "127.0.0.1", port: 7474)])
        #expect(usual.security == .automatic)
        #expect(usual.defaultApp == nil)
        #expect("\(usual.apiKey as Any)" == "nil")
    }

    @Test func `the environment makes a configuration`() throws {
        let all = try Configuration.fromEnvironment([
            "CARILLON_SERVER": "a:1,b:2", "CARILLON_API_KEY": "k", "CARILLON_API_KEY_FILE": "/key",
            "CARILLON_APP": "com.example.game", "CARILLON_CA_FILE": "/ca.pem", "CARILLON_CERTIFICATE_FILE": "/c.pem",
            "CARILLON_CERTIFICATE_KEY_FILE": "/c.key",
        ])
        #expect(all.addresses == [.tcp(host: "a", port: 1), .tcp(host: "b", port: 2)])
        #expect(all.defaultApp == AppID("com.example.game"))
        #expect(
            all.security
                == .tls(
                    authorities: .file("/ca.pem"),
                    clientCertificate: .init(chain: .file("/c.pem"), key: .file("/c.key"))))
        #expect(all.apiKey?.description == "the API key in /key", "the file of the key comes first")
    }

    @Test(arguments: [
        ("CARILLON_SERVER", "a"), ("CARILLON_APP", "no app"), ("CARILLON_SECURITY", "none"),
        ("CARILLON_API_KEY", String(repeating: "secret", count: 50)), ("CARILLON_CERTIFICATE_KEY_FILE", "/k"),
    ])
    func `an invalid variable is named`(name: String, value: String) {
        let error = #expect(throws: CarillonError.self) { try Configuration.fromEnvironment([name: value]) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.field == name)
        #expect(error?.message.contains("secret") == false)
    }

    @Test func `a client with an unusable configuration does not connect`() async {
        for configuration in [
            Configuration(addresses: []),
            Configuration(address: .tcp(host: "192.0.2.1", port: 1), security: .plaintext),
            Configuration(address: .tcp(host: "a", port: 0)),
            Configuration(address: .tcp(host: "a", port: 1), apiKey: .value("")),
        ] {
            let client = CarillonClient(configuration: configuration)
            let error = await #expect(throws: CarillonError.self, "\(configuration)") { try await client.connect() }
            #expect(error?.code == .invalidArgument)
            #expect(error?.attempts == 0)
            await client.close()
        }
    }

    /// The key is read at each connection, so that it can be replaced.
    @Test func `a key in a file is read again`() async throws {
        let file = try directory.write(" wrong\n", to: "key")
        let server = try await ScriptedServer.start(.init(helloAnswer: .scripted(isAuthenticated: false)))
        let client = CarillonClient(
            configuration: Configuration(
                address: .tcp(host: "127.0.0.1", port: server.port), apiKey: .file(file)))
        let error = await #expect(throws: CarillonError.self) { try await client.connect() }
        #expect(error?.code == .authenticationFailed)
        try directory.write("  secret\n", to: "key")
        try await client.connect()
    }

    @Test func `a missing key file is the cause of the error`() async {
        let client = CarillonClient(
            configuration: Configuration(address: .tcp(host: "127.0.0.1", port: 1), apiKey: .file("/no/such/key")))
        let error = await #expect(throws: CarillonError.self) { try await client.connect() }
        #expect(error?.code == .cannotConnect)
        #expect(error?.causes.count == 1)
        #expect(error?.causes.first?.contains("/no/such/key cannot be read: No such file") == true)
    }

    @Test func `the error of a key function is not shown`() async throws {
        struct Fault: Error { let secret = "very-secret" }
        let client = CarillonClient(
            configuration: Configuration(
                address: .tcp(host: "127.0.0.1", port: 1), apiKey: .function { throw Fault() }))
        let thrown = await #expect(throws: CarillonError.self) { try await client.connect() }
        let error = try #require(thrown)
        #expect(error.code == .cannotConnect)
        #expect(!"\(error)\(error.causes)".contains("very-secret"))
    }

    @Test func `no form of a configuration has a secret`() {
        let configuration = Configuration(
            addresses: [.tcp(host: "a", port: 1), .tcp(host: "b", port: 2)],
            security: .tls(clientCertificate: .init(chain: .text("PEM"), key: .text("very-secret"))),
            apiKey: .value("very-secret"))
        var dumped = ""
        dump(configuration, to: &dumped)
        dump(configuration.apiKey, to: &dumped)
        dump(configuration.security, to: &dumped)
        dump(CarillonClient(configuration: configuration), to: &dumped)
        dumped += "\(configuration)\(String(reflecting: configuration))\(String(describing: configuration.apiKey))"
        #expect(!dumped.contains("very-secret"))
        #expect("\(configuration)" == "a:1,b:2")
    }
}
