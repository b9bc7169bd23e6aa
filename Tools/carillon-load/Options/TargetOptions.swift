import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Foundation

/// The options for the server under load.
struct TargetOptions: ParsableArguments {
    @Flag(help: "Starts a server and an APNs simulator for the run, on free ports of this machine.")
    var own = false

    @Option(
        help: ArgumentHelp(
            "The directory for the database of --own. Use a disk: in memory durability costs nothing.",
            valueName: "folder"))
    var data = "/var/tmp"

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "An additional argument of carillond with --own, such as --threads=1; repeatable.", valueName: "flag"))
    var serverFlag: [String] = []

    @Option(help: ArgumentHelp("The server.", valueName: "host:port|unix:path"))
    var server: AddressArgument?

    @Option(
        help: ArgumentHelp("A file with the API key. In the environment: CARILLON_API_KEY_FILE.", valueName: "file"))
    var apiKeyFile: String?

    @Option(
        help: ArgumentHelp("The trusted certificate authorities, PEM. Default: those of the system.", valueName: "file")
    )
    var ca: String?

    @Flag(help: "No TLS. Implied for Unix sockets, and for loopback addresses without --ca.")
    var plaintext = false

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app = LocalDeployment.app

    @Option(
        help: ArgumentHelp(
            "The control port of the APNs simulator behind the server, which reports arrivals of pushes.",
            valueName: "host:port"))
    var simulatorControl: AddressArgument?

    @Option(
        help: ArgumentHelp(
            "The process id of the server, to measure its resources. Found automatically on loopback.", valueName: "pid"
        ))
    var serverPid: Int32?

    func validate() throws {
        guard own != (server != nil) else { throw ValidationError("Give either --own or --server HOST:PORT.") }
        guard AppID(app) != nil else { throw ValidationError("'\(app)' is not a bundle id.") }
        guard !own || (simulatorControl == nil && ca == nil && app == LocalDeployment.app) else {
            throw ValidationError("--own has its own simulator, certificate and app.")
        }
        guard own || serverFlag.isEmpty else { throw ValidationError("--server-flag needs --own.") }
    }

    var appID: AppID { AppID(app) ?? { preconditionFailure("validated") }() }

    /// True if the server is on this machine.
    var isLocal: Bool { server?.isLocal ?? true }

    func configuration() throws -> CarillonClient.Configuration {
        guard let server else { throw ValidationError("The server is missing.") }
        let isPlaintext = plaintext || (server.isLocal && ca == nil)
        var key: String?
        if let path = apiKeyFile ?? ProcessInfo.processInfo.environment["CARILLON_API_KEY_FILE"] {
            guard let bytes = FileManager.default.contents(atPath: path), (1...4_096).contains(bytes.count) else {
                throw LoadFailure("The key file \(path) cannot be read.")
            }
            key = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        var configuration = CarillonClient.Configuration(
            address: server.address, security: isPlaintext ? .plaintext : .tls(authorities: ca), apiKey: key)
        configuration.software = "carillon-load/1.0.0"
        configuration.connectionAttempts = 3
        return configuration
    }

    /// The processes whose resources are measured.
    func watched(_ deployment: LocalDeployment?) -> [LoadRunner.WatchedProcess] {
        var watched = [LoadRunner.WatchedProcess(name: RunResult.Usage.tool, process: getpid())]
        if let deployment {
            watched.insert(.init(name: RunResult.Usage.server, process: deployment.serverProcess), at: 0)
            watched.insert(.init(name: RunResult.Usage.simulator, process: deployment.simulatorProcess), at: 1)
            return watched
        }
        var process = serverPid
        if process == nil, let server, server.isLocal, case .tcp(_, let port) = server.address {
            process = ProcessUsage.listener(port: port)
        }
        if let process { watched.insert(.init(name: RunResult.Usage.server, process: process), at: 0) }
        return watched
    }
}
