import CarillonServer
import Configuration
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
case "--version":
    print(CarillonServer.software)
    exit(0)
default:
    break
}

do {
    try Usage.checkFlags(arguments)
    let settings = try Settings(try await Usage.configuration(arguments))
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    var logger = Logger(label: "carillond")
    logger.logLevel = Logger.Level(rawValue: settings.logLevel) ?? .info
    let server = try CarillonServer(settings: settings, logger: logger)
    let group = ServiceGroup(
        configuration: ServiceGroupConfiguration(
            services: [.init(service: server)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    try await group.run()
} catch {
    Usage.complain("carillond: \(error)\n")
    exit(1)
}
