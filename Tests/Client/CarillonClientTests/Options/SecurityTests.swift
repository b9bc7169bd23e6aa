import CarillonClient
import CarillonTLS
import CarillonTLSChannel
import CarillonTestKit
import CarillonWire
import Foundation
import NIOCore
import Testing

/// A self-signed certificate for localhost, made with the `openssl` command in a folder of its own.
private final class Certificate {
    let directory = TemporaryDirectory()

    init() throws {
        try directory.make()
        let arguments =
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
            .split(separator: " ").map(String.init)
            + ["-addext", "subjectAltName=DNS:localhost", "-keyout", path("key.pem"), "-out", path("chain.pem")]
        _ = try FinishedProgram(URL(fileURLWithPath: "/usr/bin/openssl"), arguments).outputOfSuccess()
    }

    func path(_ name: String) -> String { directory.file(name) }

    func server() async throws -> ScriptedServer {
        let context = try TLSContext.server(
            identity: .pemFiles(certificateChain: path("chain.pem"), key: path("key.pem")),
            applicationProtocols: ["carillon/1"],
            requiresApplicationProtocol: true
        )
        return try await ScriptedServer.start { channel in
            try channel.pipeline.syncOperations.addHandler(TLSHandler(server: context))
        }
    }
}

@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct SecurityTests {
    private func connectionError(
        port: Int,
        _ security: CarillonClient.Configuration.Security
    ) async -> CarillonError? {
        var configuration = CarillonClient.Configuration(
            address: .tcp(host: "127.0.0.1", port: port), security: security)
        configuration.maximumRounds = 1
        configuration.connectTimeout = .seconds(30)
        let client = CarillonClient(configuration: configuration)
        do throws(CarillonError) {
            _ = try await client.serverInfo()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a client accepts a server with a certificate of its name`() async throws {
        let certificate = try Certificate()
        let server = try await certificate.server()
        let authorities = certificate.path("chain.pem")
        #expect(
            await connectionError(port: server.port, .tls(authorities: .file(authorities), serverName: "localhost"))
                == nil)
        let otherName = await connectionError(
            port: server.port, .tls(authorities: .file(authorities), serverName: "other.example"))
        #expect(otherName?.code == .untrusted)
        let unknownAuthority = await connectionError(port: server.port, .tls(serverName: "localhost"))
        #expect(unknownAuthority?.code == .untrusted)
    }

    /// A program may have certificates as texts: from a vault, or from the environment of a container.
    @Test func `certificates may be given as bytes`() async throws {
        let certificate = try Certificate()
        let server = try await certificate.server()
        let chain = try String(contentsOfFile: certificate.path("chain.pem"), encoding: .utf8)
        let key = try String(contentsOfFile: certificate.path("key.pem"), encoding: .utf8)
        let identities: [CarillonClient.Configuration.ClientCertificate?] = [
            nil, .init(chain: .text(chain), key: .text(key)),
            .init(chain: .file(certificate.path("chain.pem")), key: .text(key)),
            .init(chain: .text(chain), key: .file(certificate.path("key.pem"))),
        ]
        for identity in identities {
            let security = CarillonClient.Configuration.Security.tls(
                authorities: .text(chain), clientCertificate: identity, serverName: "localhost")
            #expect(await connectionError(port: server.port, security) == nil)
            #expect(!"\(security)\(String(reflecting: security))".contains("BEGIN"), "a key is never shown")
        }
    }

    @Test func `a text may have several authorities`() async throws {
        let certificate = try Certificate()
        let server = try await certificate.server()
        let chain = try String(contentsOfFile: certificate.path("chain.pem"), encoding: .utf8)
        let twice = CarillonClient.Configuration.Security.tls(
            authorities: .text(chain + chain), serverName: "localhost")
        #expect(await connectionError(port: server.port, twice) == nil)
    }

    @Test func `authorities that are not PEM are refused`() async throws {
        let certificate = try Certificate()
        let server = try await certificate.server()
        let chain = try String(contentsOfFile: certificate.path("chain.pem"), encoding: .utf8)
        for text in ["", "no PEM", String(chain.dropLast(40))] {
            let error = await connectionError(
                port: server.port, .tls(authorities: .text(text), serverName: "localhost"))
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("the authorities are not PEM") == true)
        }
    }

    @Test func `plaintext to a TLS server fails and TLS to a plaintext server too`() async throws {
        let certificate = try Certificate()
        let secured = try await certificate.server()
        #expect(await connectionError(port: secured.port, .plaintext) != nil)
        let open = try await ScriptedServer.start(.init(helloAnswer: nil))
        async let refused = connectionError(port: open.port, .tls(serverName: "localhost"))
        let peer = try await open.accept()
        peer.send { $0.raw(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)) }
        #expect(await refused?.code == .cannotConnect)
    }

    @Test func `a missing certificate file is named`() async throws {
        let error = await connectionError(port: 1, .tls(authorities: .file("/no/such/file.pem")))
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("/no/such/file.pem") == true)
    }

    @Test func `the key is never printed`() {
        let configuration = CarillonClient.Configuration(
            address: .unixSocket(path: "/run/carillon.sock"),
            security: .plaintext,
            apiKey: .value("very-secret")
        )
        #expect("\(configuration)" == "unix:/run/carillon.sock")
        #expect(!String(reflecting: configuration).contains("very-secret"))
    }
}
