import ArgumentParser
import CarillonArguments
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
            "An additional argument of carillond with --own, such as --client-threads=1; repeatable.", valueName: "flag"
        ))
    var serverFlag: [String] = []

    @Option(
        help: ArgumentHelp(
            "The server. In the environment: CARILLON_SERVER; or of the configuration file.",
            valueName: "host:port|unix:path"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "A file with the API key. In the environment: CARILLON_API_KEY_FILE, or the key itself in "
                + "CARILLON_API_KEY.",
            valueName: "file"))
    var apiKeyFile: String?

    @Option(
        help: ArgumentHelp("The trusted certificate authorities, PEM. Default: those of the system.", valueName: "file")
    )
    var ca: String?

    @Option(help: ArgumentHelp("A client certificate with its chain, PEM.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The key of the client certificate, PEM.", valueName: "file"))
    var certificateKey: String?

    @Flag(help: "No TLS. Implied for Unix sockets, and for loopback addresses without --ca and --certificate.")
    var plaintext = false

    @Option(
        help: ArgumentHelp(
            "A file with these settings, as of carillon. In the environment: CARILLON_CLI_CONFIG. Default: "
                + "~/.config/carillon/config.json.",
            valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app = LocalDeployment.app

    @Option(
        help: ArgumentHelp(
            "The control port of the APNs simulator behind the server, which reports arrivals of pushes.",
            valueName: "host:port"))
    var simulatorControl: AddressArgument?

    @Flag(help: "Sends pushes although no simulator is known behind the server: they may go to Apple.")
    var allowApple = false

    @Option(
        help: ArgumentHelp(
            "The process id of the server, to measure its resources. Found automatically on loopback.", valueName: "pid"
        ))
    var serverPid: Int32?

    func validate() throws {
        guard !own || server == nil else { throw ValidationError("Give either --own or --server HOST:PORT.") }
        guard !own || (simulatorControl == nil && ca == nil && app == LocalDeployment.app) else {
            throw ValidationError("--own has its own simulator, certificate and app.")
        }
        guard own || serverFlag.isEmpty else { throw ValidationError("--server-flag needs --own.") }
        if !own { _ = try configuration() }
    }

    /// Returns the same settings as options of `carillon`, which also knows the environment and the configuration file.
    func access() throws -> ServerOptions {
        let values = [
            ("server", server), ("api-key-file", apiKeyFile), ("ca", ca), ("certificate", certificate),
            ("certificate-key", certificateKey), ("config", config),
        ]
        let words = values.compactMap { name, value in value.map { "--\(name)=\($0)" } }
        return try ServerOptions.parse(words + (plaintext ? ["--plaintext"] : []))
    }

    /// Returns the configuration of a client of the given server. There is no default server, because a load must not
    /// meet one by accident.
    func configuration(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> CarillonClient.Configuration {
        let environment = environment.filter { !$0.value.isEmpty }
        guard
            try server ?? environment["CARILLON_SERVER"] ?? ConfigFile.find(config, environment: environment).server
                != nil
        else {
            throw ValidationError(
                "No server is given: --own starts one; else --server HOST:PORT, CARILLON_SERVER or the configuration "
                    + "file names it.")
        }
        var configuration = try access().configuration(environment: environment)
        configuration.programName = CarillonLoad.software
        guard configuration.addresses.count == 1 else {
            throw ValidationError("A load is of one server, and \(configuration.addresses.count) are given.")
        }
        return configuration
    }

    /// Refuses to send pushes with invented tokens to a server that may be connected to Apple. A server does not say
    /// whether Apple or a simulator is behind it.
    func checkApple(_ mix: Mix) throws {
        guard mix.hasSends, !own, simulatorControl == nil, !allowApple else { return }
        throw ValidationError(
            """
            The load sends pushes with invented tokens, and this server may be connected to Apple, which does not like \
            them. With --simulator-control HOST:PORT the tool makes sure that a simulator is behind the server; \
            --allow-apple sends in any case; a --mix without sends needs neither.
            """)
    }

    func watchedProcesses(
        _ deployment: LocalDeployment?, address: CarillonClient.Configuration.Address
    ) -> [LoadRunner.WatchedProcess] {
        var watched = [LoadRunner.WatchedProcess(name: RunResult.ProcessUsage.tool, processID: getpid())]
        if let deployment {
            watched.insert(.init(name: RunResult.ProcessUsage.server, processID: deployment.serverProcessID), at: 0)
            watched.insert(
                .init(name: RunResult.ProcessUsage.simulator, processID: deployment.simulatorProcessID), at: 1)
            return watched
        }
        var processID = serverPid
        if processID == nil, address.isLocal, case .tcp(_, let port) = address {
            processID = ProcessUsage.processListening(onPort: port)
        }
        if let processID { watched.insert(.init(name: RunResult.ProcessUsage.server, processID: processID), at: 0) }
        return watched
    }
}

/// The address of a server, as `host:port`, `[address]:port` or `unix:path`.
struct AddressArgument: ExpressibleByArgument, Equatable {
    var address: CarillonClient.Configuration.Address

    init?(argument: String) {
        guard let address = CarillonClient.Configuration.Address(argument) else { return nil }
        self.address = address
    }
}
