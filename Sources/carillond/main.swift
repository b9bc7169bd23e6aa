import CarillonServer
import Configuration
import Glibc
import Logging
import ServiceLifecycle
import UnixSignals

// Writing to a peer that is gone is an error of one connection, not of the process.
signal(SIGPIPE, SIG_IGN)

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
    let settings = Settings(try await Usage.configuration(arguments))
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
