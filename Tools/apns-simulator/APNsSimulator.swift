import ArgumentParser
import CarillonArguments
import CarillonSimulator
import CarillonTLS
import CarillonVersion
import Foundation

/// The command line of `apns-simulator`.
@main
struct APNsSimulator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns-simulator",
        abstract: "A simulator of the Apple Push Notification service: strict, fast, and for tests only.",
        discussion: """
            To use it, set the server's apns.productionHost (a name in the certificate), apns.port and \
            apns.authoritiesFile.

            --devices and --rules are JSON Lines: {"token":"8f3a…","state":"unregistered"}, or "wrong-environment", or \
            "topic":"com.example.game"; {"status":503,"every":20,"retry-after":2}; {"fault":"goaway","nth":300}. The \
            manual page lists all faults, and when they happen.

            The control port reads one command a line and answers in JSON: \(SimulatedAPNs.commands).
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
    @Option(help: "The delay of every answer, in milliseconds.") var delayMilliseconds: Int64 = 0
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
        guard (1...64).contains(threads), (0...600_000).contains(delayMilliseconds) else {
            throw ValidationError("--threads is 1 to 64, --delay-milliseconds 0 to 600000")
        }
        guard [port, controlPort ?? 0, channelPort ?? 0].allSatisfy((0...65_535).contains) else {
            throw ValidationError("a port is 0 to 65535")
        }
    }

    func run() async throws {
        let simulator = try makeSimulator()
        let context = try TLSContext.server(
            identity: .pemFiles(certificateChain: certificate, key: key),
            applicationProtocols: ["h2"],
            requiresApplicationProtocol: true,
            clientCertificates: clientCA.map { .optional(authorities: $0) } ?? .none
        )
        var listener = await SimulatorListener(name: "apns-simulator", host: host, threads: threads, prints: !quiet)
        let bound = try await listener.listen(on: port) { try simulator.connection(context) }
        // This file is written before the other one: a program that waits for the other one finds this port as well.
        var management: String?
        if let channelPort {
            let bound = try await listener.listen(on: channelPort) {
                try simulator.connection(context, isForChannels: true)
            }
            try listener.write(port: bound, to: channelPortFile)
            management = "its channel management listens on \(host):\(bound)"
        }
        try listener.write(port: bound, to: portFile)
        try await listener.run(
            simulator, port: bound, notice: management, controlPort: controlPort, controlPortFile: controlPortFile)
    }

    private func makeSimulator() throws -> SimulatedAPNs {
        let validator = PushValidator(
            apps: app.map { Array($0.utf8) },
            tokenVerifier: ProviderTokenVerifier(signers: try signers())
        )
        let simulator = SimulatedAPNs(
            validator: validator,
            rules: APNsSimulatorRules(environment: environment, certificates: (certificate, key), seed: seed),
            recorder: try Recorder(path: record, prints: print),
            maxStreams: maxStreams,
            unprovenStreams: unprovenStreams,
            delayMilliseconds: delayMilliseconds,
            keepsPayloads: keepPayloads
        )
        for path in [devices, rules].compactMap({ $0 }) { try simulator.addRules(file: path) }
        return simulator
    }

    private func signers() throws -> [ProviderTokenVerifier.Signer] {
        var specifications = signer.map { $0.split(separator: ":", maxSplits: 2).map(String.init) }
        if let team, let keyID, let publicKey { specifications.append([team, keyID, publicKey]) }
        let signers = try specifications.map { parts in
            guard parts.count == 3 else { throw ValidationError("--signer is TEAM:KEYID:FILE") }
            let pem = try Data(contentsOf: URL(fileURLWithPath: parts[2]))
            return ProviderTokenVerifier.Signer(
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
}
