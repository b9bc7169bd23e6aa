public import CarillonCore

/// The codes of errors, and their names.
extension CarillonError {
    /// The cause of an error: a code of the protocol (Protocol 15) or of the client. An open set: compare with the
    /// constants; numbers of a later server are kept.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Hashable {
            case server(ErrorCode)
            case cannotConnect, connectionLost, noAnswer, cancelled, closed, untrusted
        }

        private let kind: Kind

        /// Returns a code of the protocol as a code of the client.
        public static func server(_ code: ErrorCode) -> Code { Code(kind: .server(code)) }

        /// No connection was opened; `causes` says why, for each address.
        public static let cannotConnect = Code(kind: .cannotConnect)
        /// The connection ended before the answer came.
        public static let connectionLost = Code(kind: .connectionLost)
        /// The deadline of the call has passed.
        public static let noAnswer = Code(kind: .noAnswer)
        /// The task was cancelled.
        public static let cancelled = Code(kind: .cancelled)
        /// The client was closed before the call ended.
        public static let closed = Code(kind: .closed)
        /// TLS could not verify the server, or the server could not verify the client.
        public static let untrusted = Code(kind: .untrusted)

        /// The key is missing or wrong.
        public static let authenticationFailed = server(.authenticationFailed)
        /// The role for this app is missing.
        public static let forbidden = server(.forbidden)
        /// There is no such app, device or message.
        public static let notFound = server(.notFound)
        /// An argument that the server or the client refuses; `field` names it.
        public static let invalidArgument = server(.invalidArgument)
        /// A newer registration or unregistration is stored.
        public static let stale = server(.stale)
        /// The idempotency key was used with another message.
        public static let idempotencyConflict = server(.idempotencyConflict)
        /// The payload is too long for its push type.
        public static let tooLarge = server(.tooLarge)
        /// The request is longer than the server takes.
        public static let frameTooLarge = server(.frameTooLarge)
        /// The server does not serve the request.
        public static let unsupportedOpcode = server(.unsupportedOpcode)
        /// The principal has used up its request rate.
        public static let rateLimited = server(.rateLimited)
        /// The server or this client has too much waiting.
        public static let overloaded = server(.overloaded)
        /// APNs has refused a call about a broadcast channel; `reason` says why.
        public static let apnsRefused = server(.apnsRefused)
        /// APNs gave no answer to a call about a broadcast channel, or one that says to ask again later.
        public static let apnsUnavailable = server(.apnsUnavailable)
        /// The node of a cluster may be behind the others.
        public static let behind = server(.behind)

        /// The code of the protocol; nil for a code that only clients have.
        public var server: ErrorCode? {
            if case .server(let code) = kind { code } else { nil }
        }

        /// The number of the protocol; 0 for a code that only clients have.
        public var number: UInt16 { server?.rawValue ?? 0 }

        /// The name of the code, as `NOT_FOUND` or `CANNOT_CONNECT`; `UNKNOWN_N` for a number of a later server.
        public var name: String {
            switch kind {
            case .server(let code): code.name
            case .cannotConnect: "CANNOT_CONNECT"
            case .connectionLost: "CONNECTION_LOST"
            case .noAnswer: "NO_ANSWER"
            case .cancelled: "CANCELLED"
            case .closed: "CLOSED"
            case .untrusted: "UNTRUSTED"
            }
        }

        /// The same text as `name`.
        public var description: String { name }

        /// True if errors with this code concern the connection.
        var isOfConnection: Bool { self == .cannotConnect || self == .connectionLost || self == .untrusted }
    }
}

extension Effect {
    /// The name of the effect in the contract of the clients: `not_executed`, `unknown`, `executed`.
    public var name: String {
        switch self {
        case .notExecuted: "not_executed"
        case .unknown: "unknown"
        case .executed: "executed"
        }
    }
}
