import CarillonTLS
import CarillonTransport
import Foundation

/// Certificates and a provider key for all tests, made once: making keys takes longer than most tests.
final class TestAuthority: Sendable {
    static let shared = Result { try TestAuthority() }

    enum ServerCertificate: CaseIterable {
        case good, otherHost, expired, foreign
    }

    struct Missing: Error {}

    let clientContext: TLSContext
    private let identities: [ServerCertificate: TLSIdentity]
    private let key: SigningKey

    private init() throws {
        let workshop = try StagingDirectory()
        defer { workshop.remove() }
        try workshop.authority("authority")
        try workshop.authority("stranger")
        try workshop.issue("good", host: "localhost")
        try workshop.issue("otherHost", host: "other.example.com")
        try workshop.issue("expired", host: "localhost", days: -1)
        try workshop.issue("foreign", host: "localhost", authority: "stranger")
        key = try SigningKey(pem: SecretBytes.load(path: workshop.path("good.key")))
        clientContext = try TLSContext.client(
            trust: .authorities(path: workshop.path("authority.pem")),
            applicationProtocols: ["h2"],
            requireApplicationProtocol: true
        )
        identities = try Dictionary(
            uniqueKeysWithValues: ServerCertificate.allCases.map { name in
                let (chain, key) = (workshop.path("\(name).pem"), workshop.path("\(name).key"))
                return (name, try TLSIdentity.pemFiles(certificateChain: chain, key: key))
            }
        )
    }

    func serverContext(_ certificate: ServerCertificate, protocols: [String]) throws -> TLSContext {
        guard let identity = identities[certificate] else { throw Missing() }
        return try TLSContext.server(identity: identity, applicationProtocols: protocols)
    }

    func tokens() -> ProviderTokenSource {
        ProviderTokenSource(teamID: "TEAM123456", keyID: "KEY1234567", key: key)
    }
}

/// A directory in which the `openssl` command makes keys and certificates.
private struct StagingDirectory {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-transport-\(UUID())")

    struct CommandFailed: Error { let command: String }

    init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }

    func remove() { try? FileManager.default.removeItem(at: directory) }

    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    func authority(_ name: String) throws {
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=\(name) "
                + "-keyout \(name).key -out \(name).pem"
        )
    }

    func issue(_ name: String, host: String, authority: String = "authority", days: Int = 1) throws {
        try "subjectAltName=DNS:\(host)".write(toFile: path("\(name).ext"), atomically: true, encoding: .utf8)
        try openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=\(host) "
                + "-keyout \(name).key -out \(name).csr"
        )
        try openssl(
            "x509 -req -in \(name).csr -CA \(authority).pem -CAkey \(authority).key -CAcreateserial -days \(days) "
                + "-extfile \(name).ext -out \(name).pem"
        )
    }

    /// Runs `openssl` with arguments that contain no spaces.
    private func openssl(_ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = directory
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CommandFailed(command: arguments) }
    }
}
