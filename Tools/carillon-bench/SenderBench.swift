import ArgumentParser
import CarillonAPNs
import CarillonCore
import CarillonProvider
import CarillonTLS
import CarillonTransport
import Logging
import NIOCore
import NIOPosix

/// The benchmark of the transport alone, against a given APNs: deliveries per CPU-second of this process.
struct SenderBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sender",
        abstract: "Pushes to distinct devices through one pool and prints the CPU time.")

    @Option(help: "Port of the APNs on localhost.") var port: Int
    @Option(help: "PEM authorities of its certificate.") var authorities: String
    @Option(help: "Provider key, a .p8 file.") var key: String
    @Option(help: "Team id.") var team = "TEAM123456"
    @Option(help: "Key id.") var keyID = "KEY1234567"
    @Option(help: "Bundle id.") var app = "com.example.game"
    @Option(help: "Deliveries that are measured.") var count = 200_000
    @Option(help: "Deliveries before, for the warm-up.") var warmUp = 2_000
    @Option(help: "Connections.") var connections = 1
    @Option(help: "Bytes of payload.") var payloadBytes = 176

    func run() async throws {
        guard let app = AppID(app) else { throw ValidationError("\(app) is not a bundle id") }
        let content = MessageContent(app: app, pushType: .alert, payload: payload)
        let source = BenchSource(content: content, count: count + warmUp)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let signer = try SigningKey(pem: SecretBytes.load(path: key))
        let upstream = Upstream(
            key: PoolKey(service: .apnsProduction, credential: "bench"), host: "localhost", port: port,
            tls: try TLSContext.client(
                trust: .authorities(path: authorities), applicationProtocols: ["h2"], requireApplicationProtocol: true),
            authorization: .token(ProviderTokenSource(teamID: team, keyID: keyID, key: signer)),
            adapter: APNsAdapter(epoch: .zero))
        var limits = PoolMachine.Limits()
        limits.connections = connections
        var logger = Logger(label: "bench") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        let pool = PushPool(upstream, group: group, source: source, limits: limits, logger: logger)

        let warm = source.release(upTo: warmUp, on: group.next())
        pool.wake()
        try await warm.get()
        let before = Usage.now
        let done = source.release(upTo: warmUp + count, on: group.next())
        pool.wake()
        try await done.get()
        let used = Usage.now - before

        let (cpu, wall) = (used.cpu, used.wall)
        print(
            "{\"deliveries\": \(count), \"failed\": \(source.failed), \"cpu_seconds\": \(cpu), \"seconds\": \(wall), "
                + "\"per_cpu_second\": \(Int(Double(count) / cpu)), \"per_second\": \(Int(Double(count) / wall))}")
        try await pool.close().get()
        try await group.shutdownGracefully()
        if source.failed > 0 { throw ExitCode.failure }
    }

    private var payload: [UInt8] {
        let start = Array(#"{"aps":{"alert":""#.utf8)
        let end = Array(#""}}"#.utf8)
        return start + Array(repeating: UInt8(ascii: "x"), count: max(0, payloadBytes - start.count - end.count)) + end
    }
}
