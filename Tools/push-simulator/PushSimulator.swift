import ArgumentParser
import CarillonArguments
import CarillonSimulator
import CarillonTLS
import CarillonVersion
import Foundation
import Glibc

/// The command line of `push-simulator`.
@main
struct PushSimulator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-simulator",
        abstract: "A simulator of FCM, its token endpoint and a push service of browsers: strict, and for tests only.",
        discussion: """
            One port has all three: POST /token, POST /v1/projects/PROJECT/messages:send, and POST /push/ID.

            --rules is JSON Lines: {"token":"…","state":"unregistered"}; {"subscription":"ID","state":"gone"}; \
            {"status":503,"service":"fcm","every":20,"retry-after":2}; {"fault":"goaway","nth":300}. The faults are \
            those of apns-simulator.

            The control port reads one command a line and answers in JSON: \(PushServices.commands).
            """,
        version: Version.line("push-simulator")
    )

    @Option(help: "The address to listen on.") var host = "127.0.0.1"
    @Option(help: "The port to listen on; 0 for any.") var port = 0
    @Option(help: "The file to write the port to, once it listens.") var portFile: String?
    @Option(help: "The server's certificate chain, as a PEM file.") var certificate: String
    @Option(help: "The certificate's private key, as a PEM file.") var key: String
    @Option(help: "The name in the certificate, for endpoints of browsers.") var name = "localhost"
    @Option(help: "A key file of a service account that may send; repeatable.") var serviceAccount: [String] = []
    @Option(help: "The life of an access token, in seconds.") var tokenSeconds: Int64 = 3_599
    @Option(help: "Messages a minute that a project may send.") var quota: Int?
    @Option(help: "The number of browsers.") var browsers = 0
    @Option(help: "The file to write their subscriptions to, as JSON Lines, once it listens.")
    var subscriptionsFile: String?
    @Option(
        help: "The VAPID key that the subscriptions were made with, in base64url; by default, the first that is used.")
    var vapidKey: String?
    @Option(help: "The push service of browsers whose answers it gives: google, mozilla, apple or windows.")
    var pushService = "google"
    @Option(help: "Rules and faults, as JSON Lines.") var rules: String?
    @Option(help: "The seed of random rules, and of the keys of the browsers.") var seed: UInt64 = 1
    @Option(help: "The delay of every answer, in milliseconds.") var delayMilliseconds: Int64 = 0
    @Option(help: "The stream limit of a client.") var maxStreams: UInt32 = 100
    @Option(help: "PINGs that a client may send on one connection.") var pings = 2
    @Option(help: "Idle time after which a connection is closed, in milliseconds.")
    var idleMilliseconds: Int64 = 180_000
    @Option(help: "The file to append a JSON line to for each message.") var record: String?
    @Option(help: "The port of the control protocol; 0 for any.") var controlPort: Int?
    @Option(help: "The file to write the control port to.") var controlPortFile: String?
    @Flag(help: "Print only errors.") var quiet = false
    @Option(help: "The number of event loops.") var threads = 1

    static func main() async { await runProgram() }

    func validate() throws {
        guard WebPush.PushService(rawValue: pushService) != nil else {
            throw ValidationError("--push-service is google, mozilla, apple or windows")
        }
        guard (1...64).contains(threads), (0...1_000_000).contains(browsers) else {
            throw ValidationError("--threads is 1 to 64, --browsers 0 to 1000000")
        }
        guard (0...600_000).contains(delayMilliseconds), (1...86_400_000).contains(idleMilliseconds) else {
            throw ValidationError("--delay-milliseconds is 0 to 600000, --idle-milliseconds 1 to 86400000")
        }
        guard (0...65_535).contains(port), (0...65_535).contains(controlPort ?? 0) else {
            throw ValidationError("a port is 0 to 65535")
        }
        guard (1...3_600).contains(tokenSeconds), quota ?? 1 > 0, pings >= 0 else {
            throw ValidationError("--token-seconds is 1 to 3600, --quota from 1, --pings from 0")
        }
        guard !serviceAccount.isEmpty || browsers > 0 else {
            throw ValidationError("give a --service-account or a number of --browsers")
        }
    }

    func run() async throws {
        let browsers = try (0..<browsers).map { try Browser(seed: seed, number: $0) }
        let services = try makeServices(browsers)
        let context = try TLSContext.server(
            identity: .pemFiles(certificateChain: certificate, key: key), applicationProtocols: ["h2"],
            requiresApplicationProtocol: true)
        var listener = await SimulatorListener(name: "push-simulator", host: host, threads: threads, prints: !quiet)
        let bound = try await listener.listen(on: port) { try services.connection(context) }
        if let subscriptionsFile {
            let origin = "https://\(name):\(bound)"
            let lines = browsers.map { $0.subscription(origin: origin) + "\n" }.joined()
            try Data(lines.utf8).write(to: URL(fileURLWithPath: subscriptionsFile), options: .atomic)
        }
        try listener.write(port: bound, to: portFile)
        try await listener.run(services, port: bound, controlPort: controlPort, controlPortFile: controlPortFile)
    }

    private func makeServices(_ browsers: [Browser]) throws -> PushServices {
        let accounts = try serviceAccount.map(Self.account)
        var file: Int32 = -1
        if let record {
            file = open(record, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            if file < 0 { throw SimulatorError(text: "cannot open \(record): \(String(cString: strerror(errno)))") }
        }
        let services = PushServices(
            endpoint: TokenEndpoint(accounts: accounts, lifetimeSeconds: tokenSeconds),
            fcm: FCM(projects: Set(accounts.map(\.project)), quota: quota),
            web: WebPush(
                service: WebPush.PushService(rawValue: pushService) ?? .google, browsers: browsers, key: vapidKey),
            rules: PushSimulatorRules(certificates: (certificate, key), seed: seed), recordFile: file,
            limits: PushServices.ClientLimits(
                streams: maxStreams, pings: pings, idleMilliseconds: idleMilliseconds),
            delayMilliseconds: delayMilliseconds)
        if let rules { try services.addRules(file: rules) }
        return services
    }

    /// Reads a key file of Google. The simulator keeps the public half of the key.
    private static func account(_ path: String) throws -> Account {
        struct File: Decodable {
            var project: String
            var email: String
            var keyID: String
            var key: String
            var tokenURI: String

            private enum CodingKeys: String, CodingKey {
                case project = "project_id"
                case email = "client_email"
                case keyID = "private_key_id"
                case key = "private_key"
                case tokenURI = "token_uri"
            }
        }
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        return Account(
            project: file.project, email: file.email, keyID: file.keyID, tokenURI: file.tokenURI,
            key: try RSAVerifyingKey(pem: SecretBytes(copying: Array(file.key.utf8))))
    }
}
