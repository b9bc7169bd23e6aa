import CarillonVersion

/// The type of a client's configuration, and its limits.
extension CarillonClient {
    /// The settings of a client: where the servers are, how connections are protected, the key, and the limits of
    /// calls.
    ///
    /// ```swift
    /// var configuration = CarillonClient.Configuration(
    ///     addresses: [.tcp(host: "push-1.internal", port: 7474), .tcp(host: "push-2.internal", port: 7474)],
    ///     security: .tls(authorities: .file("/etc/carillon/ca.pem")),
    ///     apiKey: .file("/etc/carillon/game.key"))
    /// configuration.requestTimeout = .seconds(3)
    /// configuration.defaultApp = AppID("com.example.game")
    /// ```
    ///
    /// `fromEnvironment` reads the configuration from environment variables.
    public struct Configuration: Sendable {
        /// The addresses of 1 to 32 servers; several must belong to one cluster. The client keeps using one that works.
        /// It moves on to the next when the connection is lost, the server stops, or an address refuses it.
        public var addresses: [Address]
        /// The order in which the addresses are tried.
        public var addressOrder = AddressOrder.listed
        /// The protection of the connections. A Unix socket needs none.
        public var security: Security
        /// The API key; nil if the client identifies itself with a certificate.
        public var apiKey: APIKey?
        /// The app that `CarillonClient.defaultApp` is about; nil if there is no default app.
        public var defaultApp: AppID?
        /// The name of your program. The server's log shows it after the name and version of this client library, at
        /// most 64 bytes in all.
        public var programName = ""
        /// The longest time that a call may take, including all attempts and the pauses between them.
        public var requestTimeout = Duration.seconds(10)
        /// The longest time that connecting to one address may take, from resolving its name until requests can be
        /// sent.
        public var connectTimeout = Duration.seconds(5)
        /// The most attempts that a call may make. With 1, no call is retried.
        public var maximumAttempts = 6
        /// The pause after the first failure. It doubles with each further failure. The client waits for a random part
        /// of it, at least half.
        public var backoff = Duration.milliseconds(100)
        /// The longest pause that `backoff` grows to.
        public var maximumBackoff = Duration.seconds(5)
        /// How long the client avoids an address that has refused its key, its version or its certificate.
        public var refusalPause = Duration.seconds(60)
        /// How long the server may be silent, while a request waits for its answer, before the client pings it.
        public var probeAfter = Duration.seconds(3)
        /// How long the server may be silent after a ping before the client gives up the connection.
        public var pingTimeout = Duration.seconds(5)
        /// How long `close` waits for calls to end.
        public var drainTimeout = Duration.seconds(5)
        /// The most requests that may wait for their answers on a connection, even if the server allows more.
        public var maximumInFlight = 1_024
        /// The most calls that may wait for a connection, or for room on it. A further call fails with `.overloaded`.
        public var maximumWaitingCalls = 10_000
        /// The most bytes that the requests of all unfinished calls may have together. A call that would exceed them
        /// fails with `.overloaded`.
        public var maximumMemoryBytes = 64 << 20
        /// The longest payload that the client accepts from the server, in bytes; at least 4,096.
        public var maximumReceiveBytes = 1 << 20
        /// The functions that the client calls when a call ends, when it retries, and when a connection changes.
        public var hooks = ClientHooks()

        /// The number of rounds of attempts to connect before waiting calls fail, for commands whose user waits; nil if
        /// calls fail only when their time has passed.
        package var maximumRounds: Int?
        /// True if `programName` is all that the server is told.
        package var hidesClientName = false

        /// Makes a configuration with the usual limits.
        public init(addresses: [Address], security: Security = .automatic, apiKey: APIKey? = nil) {
            self.addresses = addresses
            self.security = security
            self.apiKey = apiKey
        }

        /// Makes a configuration of one server with the usual limits.
        public init(address: Address, security: Security = .automatic, apiKey: APIKey? = nil) {
            self.init(addresses: [address], security: security, apiKey: apiKey)
        }
    }
}

extension CarillonClient.Configuration {
    package var address: Address { addresses[0] }

    /// The key that is given as a value; nil if the key comes from a file or a function, or is missing.
    package var literalKey: [UInt8]? {
        if case .value(let key) = apiKey { Array(key.utf8) } else { nil }
    }

    /// The order in which addresses are tried.
    public enum AddressOrder: Hashable, Sendable {
        /// The order of the list.
        case listed
        /// A random order, chosen once for each client, so that many clients spread evenly over the servers.
        case shuffled
    }

    /// The name and version of this client (Protocol 6.1).
    static var clientName: String { "carillon-swift/\(Version.number)" }

    /// The text about this client in HELLO, cut to 64 bytes between characters.
    package var helloSoftware: String {
        var text = hidesClientName ? programName : Self.clientName + (programName.isEmpty ? "" : " " + programName)
        while text.utf8.count > 64 { text.removeLast() }
        return text
    }

    /// The error of a configuration that cannot be used; nil if it can.
    var fault: CarillonError? {
        guard (1...32).contains(addresses.count) else {
            return CarillonError(.invalidArgument, field: "addresses", message: "there are 1 to 32 addresses")
        }
        for address in addresses where !address.isPossible {
            return CarillonError(.invalidArgument, field: "addresses", message: "'\(address)' is not an address")
        }
        if let refused = addresses.first(where: { isForbiddenPlaintext(literal: $0) }) {
            return CarillonError(
                .invalidArgument, field: "security",
                message: "\(refused) is not on this machine: its connections need TLS")
        }
        if case .value(let key) = apiKey, !(1...256).contains(key.utf8.count) {
            return CarillonError(.invalidArgument, field: "api_key", message: "a key has 1 to 256 bytes")
        }
        return nil
    }

    private func isForbiddenPlaintext(literal address: Address) -> Bool {
        guard case .plaintext = security else { return false }
        return address.isLiteral && !address.isLocal
    }
}

extension CarillonClient.Configuration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The addresses; never the API key.
    public var description: String { addresses.map { "\($0)" }.joined(separator: ",") }
    /// The addresses; never the API key.
    public var debugDescription: String { description }
    /// The addresses; never the API key.
    public var customMirror: Mirror { Mirror(self, children: ["addresses": description]) }
}

extension CarillonClient.Configuration {
    /// An API key of 1 to 256 bytes, or where to read it. The key is never printed.
    public enum APIKey: Sendable {
        /// The key itself.
        case value(String)
        /// A file, which is read for each connection, so that you can replace the key without a restart. White space
        /// around the key is ignored.
        case file(String)
        /// A function that returns the key, for example from a vault. It is called for each connection, and must return
        /// within `connectTimeout`.
        case function(@Sendable () async throws -> String)
    }
}

extension CarillonClient.Configuration.APIKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The place from which the key is read; never the key.
    public var description: String {
        switch self {
        case .value: "an API key"
        case .file(let path): "the API key in \(path)"
        case .function: "an API key of a function"
        }
    }

    /// The same text as `description`.
    public var debugDescription: String { description }
    /// The same text as `description`.
    public var customMirror: Mirror { Mirror(self, children: ["APIKey": description]) }
}

/// Conversion to the durations of the protocol, which are whole milliseconds.
extension Duration {
    /// The duration in whole milliseconds, clamped between 0 and some thirty years.
    var milliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return seconds < 1_000_000_000 ? UInt64(seconds) * 1_000 + UInt64(attoseconds / 1_000_000_000_000_000) : 1 << 40
    }
}
