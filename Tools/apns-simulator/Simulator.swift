import ArgumentParser
import CarillonArguments
import CarillonSimulator
import CarillonTLS
import CarillonVersion
import Foundation
import Glibc
import NIOCore
import NIOPosix
import Synchronization
import UnixSignals

/// The command line.
@main
struct Simulator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns-simulator",
        abstract: "A simulator of the Apple Push Notification service: strict, fast, and for tests only.",
        discussion: """
            To use it, set the server's apns.productionHost (a name in the certificate), apns.port and apns.authorities.

            --devices and --rules are JSON Lines: {"token":"8f3a…","state":"unregistered"}, or "wrong-environment", or \
            "topic":"com.example.game"; {"status":503,"every":20,"retry-after":2}; {"fault":"goaway","nth":300}. The manual \
            page lists all faults, and when they happen.

            The control port reads one command a line and answers in JSON: \(Control.commands).
            """,
        version: Version.line("apns-simulator")
    )

    static func main() async { await runProgram() }

    @Option(help: "The address to listen on.") var host = "127.0.0.1"
    @Option(help: "The port to listen on; 0 for any.") var port = 0
    @Option(help: "The file to write the port to, once it listens.") var portFile: String?
    @Option(help: "The port of channel management; 0 for any.") var channelPort: Int?
    @Option(help: "The file to write the port of channel management to.") var channelPortFile: String?
    @Option(help: "The server's certificate chain, as a PEM file.") var certificate: String
    @Option(help: "The certificate's private key, as a PEM file.") var key: String
    @Option(help: "A bundle id that may be pushed to; repeatable.") var app: [String]
    @Option(help: "A team id, with --key-id and --public-key.") var team: String?
    @Option(help: "The key id of the team's key.") var keyID: String?
    @Option(help: "The key's public half, as a PEM file.") var publicKey: String?
    @Option(help: "Another signer, as TEAM:KEYID:FILE; repeatable.") var signer: [String] = []
    @Option(help: "production or sandbox.") var environment = "production"
    @Option(help: "Authorities of client certificates, as a PEM file.") var clientCA: String?
    @Option(help: "Rules for single devices, as JSON Lines.") var devices: String?
    @Option(help: "Answers other than 200, and faults, as JSON Lines.") var rules: String?
    @Option(help: "The seed of random rules and faults.") var seed: UInt64 = 1
    @Option(help: "The delay of every answer, in milliseconds.") var delay: Int64 = 0
    @Option(help: "The stream limit of a client after its first good push.") var maxStreams: UInt32 = 1000
    @Option(help: "The stream limit of a client before its first good push.") var unprovenStreams: UInt32 = 1
    @Option(help: "The file to append a JSON line to for each push.") var record: String?
    @Option(help: "The port of the control protocol; 0 for any.") var controlPort: Int?
    @Option(help: "The file to write the control port to.") var controlPortFile: String?
    @Flag(help: "Keep the last payload of each device.") var keepPayloads = false
    @Flag(help: "Print a line for each push.") var print = false
    @Flag(help: "Print only errors.") var quiet = false
    @Option(help: "The number of event loops.") var threads = 1

    func validate() throws {
        guard ["production", "sandbox"].contains(environment) else {
            throw ValidationError("--environment is production or sandbox")
        }
        guard (1...64).contains(threads), (0...600_000).contains(delay) else {
            throw ValidationError("--threads is 1 to 64, --delay 0 to 600000")
        }
        guard [port, controlPort ?? 0, channelPort ?? 0].allSatisfy((0...65_535).contains) else {
            throw ValidationError("a port is 0 to 65535")
        }
    }

    func run() async throws {
        let state = try makeState()
        let context = try TLSContext.server(
            identity: .pemFiles(certificateChain: certificate, key: key),
            applicationProtocols: ["h2"],
            requireApplicationProtocol: true,
            clientCertificates: clientCA.map { .optional(authorities: $0) } ?? .none
        )
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)

        let numbers = Numbers()
        let listener = try await listen(on: group, port: port, numbers, state: state, context: context)
        // Before the other file: a program that waits for it finds this port as well.
        var management: (any Channel)?
        if let channelPort {
            management = try await listen(
                on: group, port: channelPort, numbers, isForChannels: true, state: state, context: context)
            try write(port: management?.localAddress?.port, to: channelPortFile)
        }
        try write(port: listener.localAddress?.port, to: portFile)
        let control = try await listenForControl(group, state)
        state.startPendingFaults(on: group.any())
        if !quiet {
            printLine("apns-simulator listens on \(host):\(listener.localAddress?.port ?? 0)")
            if let port = management?.localAddress?.port { printLine("its port of channel management is \(port)") }
            if let port = control?.localAddress?.port { printLine("its control port is 127.0.0.1:\(port)") }
        }

        for await _ in signals { break }
        try? await listener.close()
        try? await management?.close()
        try? await control?.close()
        try await group.shutdownGracefully()
        if !quiet { printLine(state.stats) }
    }

    private func makeState() throws -> SimulatorState {
        var lines = Rules(environment: environment, certificates: (certificate, key), seed: seed)
        for path in [devices, rules].compactMap({ $0 }) {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            where !line.allSatisfy(\.isWhitespace) {
                do { try lines.add(String(line)) } catch {
                    throw Problem(text: "\(path), line \(number + 1): \(error)")
                }
            }
        }
        let validator = Validator(
            apps: app.map { Array($0.utf8) },
            providerTokens: ProviderTokens(signers: try signers())
        )
        return SimulatorState(
            validator: validator,
            rules: lines,
            recorder: try Recorder(path: record, prints: print),
            maxStreams: maxStreams,
            unprovenStreams: unprovenStreams,
            delay: delay,
            keepsPayloads: keepPayloads
        )
    }

    private func signers() throws -> [ProviderTokens.Signer] {
        var specifications = signer.map { $0.split(separator: ":", maxSplits: 2).map(String.init) }
        if let team, let keyID, let publicKey { specifications.append([team, keyID, publicKey]) }
        let signers = try specifications.map { parts in
            guard parts.count == 3 else { throw ValidationError("--signer is TEAM:KEYID:FILE") }
            let pem = try Data(contentsOf: URL(fileURLWithPath: parts[2]))
            return ProviderTokens.Signer(
                team: parts[0],
                keyID: parts[1],
                key: try VerifyingKey(pem: SecretBytes(copying: pem))
            )
        }
        guard !signers.isEmpty || clientCA != nil else {
            throw ValidationError("give a signer (--team, --key-id and --public-key, or --signer) or --client-ca")
        }
        return signers
    }

    private func listen(
        on group: MultiThreadedEventLoopGroup, port: Int, _ numbers: Numbers, isForChannels: Bool = false,
        state: SimulatorState, context: TLSContext
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 65_536, maximum: 262_144)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = try Connection(
                        simulator: state,
                        context: context,
                        number: numbers.next(),
                        isForChannels: isForChannels,
                        faults: state.faults(at: .accept)
                    )
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
            .bind(host: host, port: port).get()
    }

    private func listenForControl(
        _ group: MultiThreadedEventLoopGroup,
        _ state: SimulatorState
    ) async throws -> (any Channel)? {
        guard let controlPort else { return nil }
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Control(simulator: state))
                }
            }
            .bind(host: "127.0.0.1", port: controlPort).get()
        try write(port: listener.localAddress?.port, to: controlPortFile)
        return listener
    }

    private func write(port: Int?, to path: String?) throws {
        guard let port, let path else { return }
        try Data("\(port)\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Prints a line. A closed standard output is no error.
    private func printLine(_ line: String) {
        var text = line + "\n"
        text.withUTF8 { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Counts connections over all event loops.
private final class Numbers: Sendable {
    private let last = Mutex(0)

    func next() -> Int {
        last.withLock {
            $0 += 1
            return $0
        }
    }
}
