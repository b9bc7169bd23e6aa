import CarillonServer
import Configuration
import CoreMetrics
import Glibc
import Logging
import ServiceLifecycle
import UnixSignals

ProcessSetup.apply()

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "make-key":
    exit(Usage.makeKey(principal: arguments.dropFirst(2).first))
case "--help", "-h", "help":
    print(Usage.text)
    exit(0)
case "--example-config":
    print(Setting.example, terminator: "")
    exit(0)
case "--version":
    print(CarillonServer.software)
    exit(0)
default:
    break
}

do {
    try Usage.checkFlags(arguments)
    let settings = try Settings(try await Usage.configuration(arguments))
    if arguments.contains("--check-config") { exit(Usage.report(ConfigurationCheck(settings))) }
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    var logger = Logger(label: "carillond")
    logger.logLevel = Logger.Level(rawValue: settings.logLevel) ?? .info
    let prometheus = Prometheus()
    MetricsSystem.bootstrap(prometheus)
    let readSettings: @Sendable () async throws -> Settings = {
        try Settings(try await Usage.configuration(arguments))
    }
    let server = try CarillonServer(
        settings: settings, readSettings: readSettings, prometheus: prometheus, logger: logger,
        auditLogger: Logger(label: "audit"))
    let group = ServiceGroup(
        configuration: ServiceGroupConfiguration(
            services: [.init(service: server)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    try await group.run()
} catch {
    Usage.complain("carillond: \(error)\n")
    exit(1)
}
