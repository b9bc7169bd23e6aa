import ArgumentParser
import CarillonCore
import CarillonProvider
import CarillonTLS
import CarillonTransport
import Foundation
import Logging
import NIOCore
import NIOPosix

/// The bench of the transport alone, against a given provider: deliveries per CPU-second of this process.
struct SenderBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sender",
        abstract: "Pushes to distinct devices through one pool and prints the CPU time.")

    @Option(help: "What is sent to: apns, fcm or web.") var provider = SenderProvider.apns
    @Option(help: "Port of the provider on localhost.") var port: Int
    @Option(name: .customLong("authorities"), help: "PEM authorities of its certificate.") var authoritiesFile: String
    @Option(
        name: .customLong("key"),
        help: "Provider key, a .p8 file; of FCM a service account, of web a VAPID key.")
    var keyFile: String
    @Option(help: "Team id.") var team = "TEAM123456"
    @Option(help: "Key id.") var keyID = "KEY1234567"
    @Option(help: "Bundle id.") var app = "com.example.game"
    @Option(help: "Deliveries that are measured.") var count = 200_000
    @Option(help: "Deliveries before, for the warm-up.") var warmUp = 2_000
    @Option(help: "Connections.") var connections = 1
    @Option(help: "Bytes of payload.") var payloadBytes = 176
    @Option(name: .customLong("subscriptions"), help: "Push subscriptions of browsers, one a line.")
    var subscriptionsFile: String?
    @Option(help: "The file to write the body of a request to FCM to; nothing is sent.") var bodyFile: String?

    static let logger: Logger = {
        var logger = Logger(label: "bench") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }()

    func run() async throws {
        guard let app = AppID(app) else { throw ValidationError("\(app) is not a bundle id") }
        let content = MessageContent(app: app, pushType: .alert, payload: payload)
        if let bodyFile {
            try Data(try fcmBody(content)).write(to: URL(fileURLWithPath: bodyFile))
            return
        }
        let browsers = try readSubscriptions()
        let source = BenchSource(content: content, count: count + warmUp, devices: devices(browsers))
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let tls = try TLSContext.client(
            trust: .authorities(path: authoritiesFile), applicationProtocols: ["h2"], requiresApplicationProtocol: true)
        var limits = PushPool.CombinedLimits()
        limits.pool.connections = connections
        limits.connection = connectionLimits
        let pool = PushPool(
            try target(tls, browsers: browsers, on: group.next()), loops: PushPool.Loops(bulk: group),
            source: source, limits: limits, logger: Self.logger)

        try await deliver(upTo: warmUp, of: source, through: pool, on: group.next())
        let before = ProcessTimes.now
        try await deliver(upTo: warmUp + count, of: source, through: pool, on: group.next())
        printResult(ProcessTimes.now - before, failedCount: source.failedCount)
        try await pool.close().get()
        try await group.shutdownGracefully()
        if source.failedCount > 0 { throw ExitCode.failure }
    }

    /// Releases deliveries, and waits until each has its verdict.
    private func deliver(
        upTo count: Int, of source: BenchSource, through pool: PushPool, on loop: any EventLoop
    ) async throws {
        let done = source.release(upTo: count, on: loop)
        pool.wake()
        try await done.get()
    }

    private func printResult(_ used: ProcessTimes, failedCount: Int) {
        let cpuSeconds = used.cpuSeconds
        let wallSeconds = used.wallSeconds
        print(
            "{\"deliveries\": \(count), \"failed\": \(failedCount), \"cpu_seconds\": \(cpuSeconds), \"seconds\": "
                + "\(wallSeconds), "
                + "\"per_cpu_second\": \(Int(Double(count) / cpuSeconds)), \"per_second\": "
                + "\(Int(Double(count) / wallSeconds))}"
        )
    }

    private var payload: [UInt8] {
        let start = Array(#"{"aps":{"alert":""#.utf8)
        let end = Array(#""}}"#.utf8)
        return start + Array(repeating: UInt8(ascii: "x"), count: max(0, payloadBytes - start.count - end.count)) + end
    }
}
