/// The reason why devices of a message wait although it is being sent: a pool of its app that cannot be used now
/// (Protocol 10.2).
public struct DeliveryObstacle: Hashable, Sendable {
    /// The fault of a pool. The set is open: a later server may have more.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The number of the kind on the wire.
        public let rawValue: UInt8

        /// Makes a kind; a server may send one that this version does not know.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The provider cannot be reached: there is no working connection, and the last attempt has failed.
        public static let unreachable = Kind(rawValue: 1)
        /// The provider refuses the credential.
        public static let credentialRefused = Kind(rawValue: 2)

        /// The name of the kind in output.
        public var description: String {
            switch self {
            case .unreachable: "unreachable"
            case .credentialRefused: "credential-refused"
            default: "obstacle-\(rawValue)"
            }
        }
    }

    /// The fault of the pool.
    public var kind: Kind
    /// The credential's name in the configuration; not a secret.
    public var credential: String
    /// The environment; devices of the other one do not wait for this pool.
    public var environment: APNsEnvironment
    /// The time since which the pool cannot be used; nil if that is not known.
    public var since: Timestamp?
    /// The time at which the next attempt to connect begins; nil while one is being made, or if that is not known.
    public var nextAttemptAt: Timestamp?
    /// The cause of the last failure; nil if no attempt to connect has failed.
    public var cause: ConnectionFailureCause?
    /// The last failure in words for operators; empty if no attempt has failed.
    public var reason: String

    /// The longest reason on the wire, in bytes of UTF-8.
    package static let maximumReasonBytes = 128

    /// Makes an obstacle; the kind and the pool are always known.
    public init(
        kind: Kind, credential: String, environment: APNsEnvironment, since: Timestamp? = nil,
        nextAttemptAt: Timestamp? = nil, cause: ConnectionFailureCause? = nil, reason: String = ""
    ) {
        self.kind = kind
        self.credential = credential
        self.environment = environment
        self.since = since
        self.nextAttemptAt = nextAttemptAt
        self.cause = cause
        self.reason = reason
    }
}
