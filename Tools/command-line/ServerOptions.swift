package import ArgumentParser
package import CarillonClient
import CarillonCore
import Foundation

/// Where the server is, how it is spoken to and how answers are shown.
package struct ServerOptions: ParsableArguments {
    /// Where carillond listens unless it is told otherwise.
    private static let usualServer = "127.0.0.1:7474"

    /// How long a call may take unless somebody says otherwise.
    private static let usualTimeout = TimeSpan(milliseconds: 30_000)

    /// `host:port` or `unix:path`.
    @Option(
        help: ArgumentHelp(
            "The server. From the environment: CARILLON_SERVER. Without any \(Self.usualServer).",
            valueName: "host:port|unix:path"
        )
    )
    package var server: String?

    /// The file of the key.
    @Option(
        help: ArgumentHelp(
            "A file with the API key. From the environment: CARILLON_API_KEY_FILE, or the key itself in CARILLON_API_KEY.",
            valueName: "file"
        ),
        completion: .file()
    )
    package var apiKeyFile: String?

    /// The file of the authorities.
    @Option(
        help: ArgumentHelp("The authorities to believe, PEM. Without it the system's.", valueName: "file"),
        completion: .file())
    package var ca: String?

    /// The file of the certificate.
    @Option(help: ArgumentHelp("A client certificate with its chain, PEM.", valueName: "file"), completion: .file())
    package var certificate: String?

    /// The file of its key.
    @Option(help: ArgumentHelp("The key of the client certificate, PEM.", valueName: "file"), completion: .file())
    package var certificateKey: String?

    /// Whether TLS is left out.
    @Flag(help: "No TLS. Implied for Unix sockets, and for loopback addresses without --ca and --certificate.")
    package var plaintext = false

    /// Whether answers are JSON.
    @Flag(help: "Answers as JSON, one object a line.")
    package var json = false

    /// How long a call may take.
    @Option(help: ArgumentHelp("How long a call may take: 500ms, 30s, 2m. Without it 30s.", valueName: "time"))
    package var timeout: TimeSpan?

    /// The file of these settings.
    @Option(
        help: ArgumentHelp(
            "A file with these settings. From the environment: CARILLON_CLI_CONFIG. Without both ~/.config/carillon/config.json.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    package var config: String?

    /// Makes options that say nothing.
    package init() {}

    /// Refuses what contradicts itself.
    package func validate() throws {
        guard (certificate == nil) == (certificateKey == nil) else {
            throw ValidationError("--certificate and --certificate-key belong together.")
        }
        guard !plaintext || (ca == nil && certificate == nil) else {
            throw ValidationError("--plaintext contradicts --ca and --certificate.")
        }
    }

    /// The configuration that options, environment and file make: an option beats the environment, that beats the file.
    package func configuration(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> CarillonClient.Configuration {
        // An empty variable is as good as none.
        let environment = environment.filter { !$0.value.isEmpty }
        let file = try ConfigFile.find(config, environment: environment)
        let server = server(environment, file)
        guard let address = CarillonClient.Configuration.Address(argument: server) else {
            throw ValidationError("'\(server)' is neither HOST:PORT nor unix:PATH.")
        }
        var configuration = CarillonClient.Configuration(
            address: address,
            security: security(for: address, file),
            apiKey: try apiKey(environment, file)
        )
        let timeout = (timeout ?? file.timeout ?? Self.usualTimeout).duration
        configuration.software = "carillon-cli/1.0.0"
        configuration.requestTimeout = timeout
        configuration.connectTimeout = min(timeout, .seconds(5))
        // A person waits: a server that is not there is said soon.
        configuration.connectionAttempts = 3
        return configuration
    }

    /// The server as it was named.
    package func place(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String {
        let environment = environment.filter { !$0.value.isEmpty }
        return server(environment, try ConfigFile.find(config, environment: environment))
    }

    private func server(_ environment: [String: String], _ file: ConfigFile) -> String {
        server ?? environment["CARILLON_SERVER"] ?? file.server ?? Self.usualServer
    }

    private func security(
        for address: CarillonClient.Configuration.Address, _ file: ConfigFile
    ) -> CarillonClient.Configuration.Security {
        // What the file says of TLS is of no concern to --plaintext, nor the other way round.
        let asksForTLS = ca != nil || certificate != nil
        if plaintext || (file.plaintext == true && !asksForTLS) { return .plaintext }
        let authorities = ca ?? file.ca
        let chain = certificate ?? file.certificate
        let identity = chain.flatMap { chain in
            (certificate == nil ? file.certificateKey : certificateKey).map {
                CarillonClient.Configuration.ClientCertificate(chain: chain, key: $0)
            }
        }
        if address.isLocal && authorities == nil && identity == nil { return .plaintext }
        return .tls(authorities: authorities, clientCertificate: identity)
    }

    private func apiKey(_ environment: [String: String], _ file: ConfigFile) throws -> String? {
        if let path = apiKeyFile ?? environment["CARILLON_API_KEY_FILE"] { return try Self.key(in: path) }
        if let key = environment["CARILLON_API_KEY"] { return try Self.checked(key, from: "CARILLON_API_KEY") }
        return try file.apiKeyFile.map(Self.key)
    }

    private static func key(in path: String) throws -> String {
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= 4_096 else {
            throw ValidationError("The key file \(path) cannot be read.")
        }
        return try checked(String(decoding: bytes, as: UTF8.self), from: path)
    }

    private static func checked(_ text: String, from source: String) throws -> String {
        let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...256).contains(key.utf8.count) else {
            throw ValidationError("\(source) does not hold a key of 1 to 256 bytes.")
        }
        return key
    }

    /// Runs `body` with a client, shows what goes wrong and turns it into the exit status.
    package func run<Answer>(_ body: (CarillonClient) async throws -> Answer) async throws -> Answer {
        let client = CarillonClient(configuration: try configuration())
        do {
            let answer = try await body(client)
            await client.close()
            return answer
        } catch let error as CarillonError {
            show(error)
            throw ExitStatus(error)
        }
    }

    /// Shows an error: for people on standard error, as JSON on standard output.
    package func show(_ error: CarillonError) {
        if json { return Terminal.say(JSON.members(["error": error.json]).line) }
        let place = error.field.map { " (\($0)\(error.item.map { "[\($0)]" } ?? ""))" } ?? ""
        let name = Terminal.inkOfErrors.paint("\(Terminal.program):", .bad)
        Terminal.complain("\(name) \(error.message)\(place) [\(error.code)]")
        for note in [error.effectNote, error.hint] { if let note { Terminal.complain("  " + note) } }
    }
}

extension CarillonClient.Configuration.Address {
    /// Reads `host:port`, `[address]:port` or `unix:path`.
    package init?(argument: String) {
        if argument.hasPrefix("unix:") {
            let path = argument.dropFirst(5)
            guard !path.isEmpty else { return nil }
            self = .unixSocket(path: String(path))
            return
        }
        guard let colon = argument.lastIndex(of: ":"),
            let port = UInt16(argument[argument.index(after: colon)...]), port > 0
        else { return nil }
        var host = argument[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self = .tcp(host: String(host), port: Int(port))
    }

    /// Whether nothing leaves the machine on the way there.
    package var isLocal: Bool {
        switch self {
        case .unixSocket: true
        case .tcp(let host, _):
            host == "localhost" || host == "::1"
                || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
        }
    }
}

extension CarillonError {
    /// The error with stable names.
    package var json: JSON {
        let retry = retryAfter.map { pause in
            JSON.number(
                UInt64(
                    clamping: pause.components.seconds * 1_000 + pause.components.attoseconds / 1_000_000_000_000_000))
        }
        return .members([
            "code": .text(code.description),
            "effect": .text(effect.name),
            "retry_after_ms": retry,
            "field": field.map { .text($0) },
            "item": item.map { .number(UInt64($0)) },
            "limit": limit.map { .number($0) },
            "message": .text(message),
        ])
    }
}
