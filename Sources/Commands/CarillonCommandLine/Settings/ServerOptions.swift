package import ArgumentParser
import CarillonArguments
package import CarillonClient
package import CarillonCore
import CarillonSpelling
import CarillonVersion
import Foundation

/// The options for the server, the connection and the output.
package struct ServerOptions: ParsableArguments {
    private static let defaultServer = "127.0.0.1:7474"

    private static let defaultTimeout = TimeSpan(milliseconds: 30_000)

    @Option(
        help: ArgumentHelp(
            "The server, or several of one cluster: a:7474,b:7474. In the environment: CARILLON_SERVER. Default: "
                + "\(Self.defaultServer).",
            valueName: "host:port|unix:path"
        )
    )
    package var server: String?

    @Option(
        help: ArgumentHelp(
            "A file with the API key. In the environment: CARILLON_API_KEY_FILE, or the key itself in "
                + "CARILLON_API_KEY.",
            valueName: "file"
        ),
        completion: .file()
    )
    package var apiKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "The trusted certificate authorities, PEM. Default: those of the system.", valueName: "file"),
        completion: .file())
    package var ca: String?

    @Option(help: ArgumentHelp("A client certificate with its chain, PEM.", valueName: "file"), completion: .file())
    package var certificate: String?

    @Option(help: ArgumentHelp("The key of the client certificate, PEM.", valueName: "file"), completion: .file())
    package var certificateKey: String?

    @Flag(help: "No TLS. Implied for Unix sockets, and for loopback addresses without --ca and --certificate.")
    package var plaintext = false

    @Flag(help: "Prints JSON, one object a line; an error of the server or the connection too, on standard error.")
    package var json = false

    @Option(help: ArgumentHelp("The timeout of a call: 500ms, 30s, 2m. Default: 30s.", valueName: "time"))
    package var timeout: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "A file with these settings. In the environment: CARILLON_CLI_CONFIG. Default: "
                + "~/.config/carillon/config.json.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    package var config: String?

    @Option(
        help: ArgumentHelp(
            "A context of that file. It overrides the environment. In the environment: CARILLON_CONTEXT.",
            valueName: "name"))
    package var context: String?

    package init() {}

    package func validate() throws {
        guard (certificate == nil) == (certificateKey == nil) else {
            throw ValidationError("--certificate and --certificate-key belong together.")
        }
        guard !plaintext || (ca == nil && certificate == nil) else {
            throw ValidationError("--plaintext contradicts --ca and --certificate.")
        }
    }

    /// Returns the configuration from options, environment and file: an option overrides the environment, which
    /// overrides the file.
    package func configuration(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> CarillonClient.Configuration {
        if let typo = EnvironmentVariables.typo(in: environment.keys) { throw CommandError.unusable(typo) }
        let environment = variables(environment)
        let file = try ConfigFile.find(config, context: context, environment: environment)
        let addresses: [CarillonClient.Configuration.Address]
        do throws(CarillonError) {
            addresses = try CarillonClient.Configuration.addresses(server(environment, file: file))
        } catch {
            throw ValidationError("\(error.message).")
        }
        var configuration = CarillonClient.Configuration(
            addresses: addresses,
            security: security(file),
            apiKey: try apiKey(environment, file: file).map { .value($0) }
        )
        let timeout = (timeout ?? file.timeout ?? Self.defaultTimeout).duration
        configuration.programName = "carillon-cli/\(Version.number)"
        configuration.hidesClientName = true
        configuration.requestTimeout = timeout
        configuration.connectTimeout = min(timeout, .seconds(5))
        // A user waits: an unreachable server must be reported soon.
        configuration.maximumRounds = 3
        return configuration
    }

    /// Returns the address of the server, as the user gave it.
    package func serverName(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String {
        let environment = variables(environment)
        return server(environment, file: try ConfigFile.find(config, context: context, environment: environment))
    }

    /// Returns the app of a command: that of its option, else of the environment, else of the configuration file or its
    /// context.
    package func app(
        _ option: AppOption? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> AppID {
        try option?.app ?? AppOption.standard(config: config, context: context, environment: variables(environment))
    }

    /// Returns the variables that count: an empty one counts as missing, and those that a context names do not count
    /// beside `--context`. Otherwise a command could reach another server than the one of the context.
    private func variables(_ environment: [String: String]) -> [String: String] {
        let overridden = context == nil ? [] : EnvironmentVariables.overriddenByContext
        return environment.filter { !$0.value.isEmpty && !overridden.contains($0.key) }
    }

    private func server(_ environment: [String: String], file: ConfigFile) -> String {
        server ?? environment["CARILLON_SERVER"] ?? file.server ?? Self.defaultServer
    }

    private func security(_ file: ConfigFile) -> CarillonClient.Configuration.Security {
        // --plaintext overrides the TLS settings of the file, and TLS options override its `plaintext`.
        let asksForTLS = ca != nil || certificate != nil
        if plaintext || (file.plaintext == true && !asksForTLS) { return .plaintextAnywhere }
        let authorities = ca ?? file.ca
        let chain = certificate ?? file.certificate
        let clientCertificate = chain.flatMap { chain in
            (certificate == nil ? file.certificateKey : certificateKey).map {
                CarillonClient.Configuration.ClientCertificate(chain: .file(chain), key: .file($0))
            }
        }
        if authorities == nil && clientCertificate == nil { return .automatic }
        return .tls(authorities: authorities.map { .file($0) }, clientCertificate: clientCertificate)
    }

    private func apiKey(_ environment: [String: String], file: ConfigFile) throws -> String? {
        if let path = apiKeyFile ?? environment["CARILLON_API_KEY_FILE"] { return try Self.readKey(in: path) }
        if let key = environment["CARILLON_API_KEY"] { return try Self.checkedKey(key, from: "CARILLON_API_KEY") }
        return try file.apiKeyFile.map(Self.readKey)
    }

    private static func readKey(in path: String) throws -> String {
        let bytes = try InputFile.contents(path, maximumBytes: 4_097)
        guard bytes.count <= 4_096 else {
            throw CommandError.unusable("\(path) is not a file with a key: it is too large")
        }
        return try checkedKey(String(decoding: bytes, as: UTF8.self), from: path)
    }

    private static func checkedKey(_ text: String, from source: String) throws -> String {
        let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...256).contains(key.utf8.count) else {
            throw CommandError.unusable("\(source) does not contain a key of 1 to 256 bytes")
        }
        return key
    }

    /// Runs `body` with a client; shows an error and turns it into the exit status.
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

    /// Runs `body` with a client and the app of a command; shows an error and turns it into the exit status.
    package func run<Answer>(
        for app: AppOption, _ body: (CarillonClient, AppID) async throws -> Answer
    ) async throws -> Answer {
        let app = try self.app(app)
        return try await run { client in try await body(client, app) }
    }

    /// Shows an error on standard error: as text, or as JSON. Standard output has results only, also with `--json`: a
    /// script that reads them never takes an error for one.
    package func show(_ error: CarillonError) {
        if json { return StandardError.printLine(JSON.members(["error": error.json]).line) }
        let location = error.field.map { " (\($0)\(error.item.map { "[\($0)]" } ?? ""))" } ?? ""
        StandardError.printLine("\(StandardError.errorPrefix) \(error.message)\(location) [\(error.code.name)]")
        for note in [error.effectNote, error.advice] { if let note { StandardError.printLine("  " + note) } }
    }
}

/// The environment variables of the command line tools: a misspelt one would otherwise have no effect, silently.
package enum EnvironmentVariables {
    private static let prefix = "CARILLON_"
    private static let known = ["SERVER", "API_KEY", "API_KEY_FILE", "CLI_CONFIG", "CONTEXT", "APP"]
    /// The variables that `--context` overrides.
    static let overriddenByContext = ["CARILLON_SERVER", "CARILLON_API_KEY", "CARILLON_API_KEY_FILE", "CARILLON_APP"]
    /// The variables of other programs that are near to the known ones, without their prefix.
    private static let similarOthers = ["CONFIG", "APPS", "API"]

    /// Returns the fault of the first variable that is nearly one of the known ones; nil if there is no such variable.
    ///
    /// Other variables with the prefix are no fault: the server's settings have it as well.
    package static func typo(in names: some Sequence<String>) -> String? {
        for name in names.sorted() {
            guard let word = name.removing(prefix: prefix).map(String.init), !known.contains(word),
                !similarOthers.contains(word)
            else { continue }
            guard let near = Spelling.nearest(to: word, among: known) else { continue }
            return "\(name) is not an environment variable of this program. Did you mean \(prefix)\(near)?"
        }
        return nil
    }
}
