import CarillonCore
import CarillonServer
import CarillonSpelling
import Configuration
import CoreMetrics
import Glibc
import Logging
import ServiceLifecycle
import SystemPackage
import UnixSignals

/// The commands that read the settings.
enum SettingsCommands {
    /// Runs the server until it stops: because of a signal, a failure of the disk, or the end of its node.
    static func run(_ options: [String]) async throws {
        let unknown = try SettingVariables.unknown(in: environment)
        var settings = try Settings(try await configuration(options))
        settings.cluster.newestFormat = try newestFormat(options)
        let format = LogLine.Format(rawValue: settings.logFormat) ?? .text
        let hasPriority = SystemdJournal.readsStandardError
        LoggingSystem.bootstrap { ServerLogHandler(label: $0, format: format, hasPriority: hasPriority) }
        var logger = Logger(label: "carillond")
        logger.logLevel = Logger.Level(rawValue: settings.logLevel) ?? .info
        if !unknown.isEmpty {
            logger.notice(
                "environment variables that are no settings have no effect",
                metadata: ["names": "\(unknown.joined(separator: " "))"])
        }
        let prometheus = Prometheus()
        MetricsSystem.bootstrap(prometheus)
        let server = try CarillonServer(
            settings: settings, readSettings: { try Settings(try await configuration(options)) },
            prometheus: prometheus, logger: logger, auditLogger: Logger(label: "audit"))
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: server)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do {
            try await group.run()
        } catch is CarillonServer.StartAgainError {
            logger.notice("starting again, because the registry was replaced")
            ProcessSetup.startAgain()
        }
    }

    /// Returns the value of the option for tests of a rolling upgrade; nil without it.
    private static func newestFormat(_ options: [String]) throws(UsageError) -> UInt16? {
        let prefix = Command.logFormatOption + "="
        guard let value = options.lazy.compactMap({ $0.removing(prefix: prefix) }).first else { return nil }
        guard let format = UInt16(value) else { throw UsageError("\(prefix)\(value) is no number") }
        return format
    }

    /// Prints the findings of a check. Returns the exit status: 1 if the server could not start.
    static func check(_ options: [String]) async throws -> Int32 {
        for name in try SettingVariables.unknown(in: environment) {
            print("note: \(name): is not a setting and has no effect")
        }
        let reader = try await configuration(options)
        if reader.string(forKey: "config") == nil {
            print("note: no file of settings is named (--config), so the defaults are checked")
        }
        let check = ConfigurationCheck(try Settings(reader))
        for note in check.notes { print("note: \(note)") }
        for problem in check.problems { printError("carillond: \(problem)") }
        guard check.problems.isEmpty else { return 1 }
        print("The configuration is good: \(check.summary).")
        return 0
    }

    /// Prints the phase that the running server says. Returns the exit status: 1 if the server is not healthy.
    static func checkHealth(_ options: [String]) async throws -> Int32 {
        let answer = try HealthCheck.run(try Settings(try await configuration(options)))
        print(answer.phase)
        return answer.isHealthy ? 0 : 1
    }

    /// Prints the shared log's view of the nodes of the cluster.
    static func showCluster(_ options: [String]) async throws {
        print(try await ClusterReport.read(try Settings(try await configuration(options))))
    }

    /// Reads the options, the environment, and the file that `--config` or `CARILLON_CONFIG` names, in this order of
    /// precedence.
    private static func configuration(_ options: [String]) async throws -> ConfigReader {
        let arguments = CommandLineArgumentsProvider(arguments: ["carillond"] + options)
        let environment = EnvironmentVariablesProvider().prefixKeys(with: "carillon")
        let first = ConfigReader(providers: [arguments, environment])
        guard let path = first.string(forKey: "config") else { return first }
        try SettingNames.check(path: path)
        let file = try await FileProvider<CommentedJSON>(filePath: FilePath(path))
        return ConfigReader(providers: [arguments, environment, file])
    }

    /// The names of the environment variables.
    private static var environment: [String] {
        var names: [String] = []
        var entry = environ
        while let text = entry.pointee {
            names.append(String(String(cString: text).prefix { $0 != "=" }))
            entry += 1
        }
        return names
    }
}

/// Checks the names of environment variables. Without the check a misspelt name would silently have no effect.
enum SettingVariables {
    private static let prefix = "CARILLON_"
    /// The variables of the command line tools and of the clients, which may be set where a server runs.
    private static let toolVariables = [
        "CARILLON_SERVER", "CARILLON_API_KEY", "CARILLON_API_KEY_FILE", "CARILLON_CLI_CONFIG", "CARILLON_CONTEXT",
        "CARILLON_APP", "CARILLON_SECURITY", "CARILLON_CA_FILE", "CARILLON_CERTIFICATE_FILE",
        "CARILLON_CERTIFICATE_KEY_FILE",
    ]

    /// Returns the variables with the prefix of settings that are no settings. They are no fault by themselves:
    /// Kubernetes, for example, sets CARILLON_PORT and others if a service is called carillon.
    ///
    /// - Throws: an error for a variable that is nearly the name of a setting.
    static func unknown(in names: some Sequence<String>) throws(SettingsError) -> [String] {
        let known = Setting.all.map(\.variable) + ["CARILLON_CONFIG"]
        let unknown = names.filter { name in
            name.hasPrefix(prefix) && !known.contains(name) && !toolVariables.contains(name)
        }.sorted()
        let unprefixed = known.compactMap { $0.removing(prefix: prefix).map(String.init) }
        for name in unknown {
            // A word that is the beginning of a name, such as PORT of PORT_FILE, is no misspelling.
            if let word = name.removing(prefix: prefix).map(String.init),
                let near = Spelling.nearest(to: word, among: unprefixed), !near.hasPrefix(word)
            {
                throw SettingsError(name, fault: "is not a setting. Did you mean \(prefix)\(near)?")
            }
        }
        return unknown
    }
}
