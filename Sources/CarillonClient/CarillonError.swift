public import CarillonCore

/// Why a call failed, whether it took effect, and whether making it again can help. Descriptions are safe to show.
public struct CarillonError: Error, Hashable, Sendable {
    /// The cause of the error. An open set: compare with the constants, or look at `server`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Hashable {
            case server(ErrorCode)
            case notConnected, connectionLost, notCarillon, protocolViolation, untrusted, configuration
            case timeout, cancelled, overloaded, closed
        }

        private let kind: Kind

        /// The server's own code (Protocol 9).
        public static func server(_ code: ErrorCode) -> Code { Code(kind: .server(code)) }
        /// No connection could be made.
        public static let notConnected = Code(kind: .notConnected)
        /// The connection ended before the answer came.
        public static let connectionLost = Code(kind: .connectionLost)
        /// The program at the address does not speak Carillon's protocol.
        public static let notCarillon = Code(kind: .notCarillon)
        /// The server sent what cannot be read.
        public static let protocolViolation = Code(kind: .protocolViolation)
        /// TLS could not verify the server, or the server could not verify the client.
        public static let untrusted = Code(kind: .untrusted)
        /// The configuration cannot be used: a file, a key, an address.
        public static let configuration = Code(kind: .configuration)
        /// The deadline of the call has passed.
        public static let timeout = Code(kind: .timeout)
        /// The task was cancelled.
        public static let cancelled = Code(kind: .cancelled)
        /// Too many calls wait in this client.
        public static let overloaded = Code(kind: .overloaded)
        /// The client was closed.
        public static let closed = Code(kind: .closed)

        /// The server's code, if the error came from the server.
        public var server: ErrorCode? {
            if case .server(let code) = kind { code } else { nil }
        }

        /// The server's name for it, as `NOT_FOUND`, or the client's, as `connectionLost`.
        public var description: String {
            if case .server(let code) = kind { code.name } else { "\(kind)" }
        }
    }

    /// The cause.
    public var code: Code
    /// Whether the call took effect. Calls that only read have none.
    public var effect: Effect
    /// When the same call may be made again; nil if it would fail again.
    public var retryAfter: Duration?
    /// The field at fault, as the protocol names it.
    public var field: String?
    /// The limit that was exceeded.
    public var limit: UInt64?
    /// Index, from 0, of the list's item at fault.
    public var item: UInt32?
    /// The position of the fault in a condition, in bytes; the first is 1.
    public var column: UInt32?
    /// A text for operators; never holds a secret.
    public var message: String

    /// Makes an error.
    public init(
        _ code: Code,
        effect: Effect = .notExecuted,
        retryAfter: Duration? = nil,
        field: String? = nil,
        limit: UInt64? = nil,
        item: UInt32? = nil,
        column: UInt32? = nil,
        message: String
    ) {
        self.code = code
        self.effect = effect
        self.retryAfter = retryAfter
        self.field = field
        self.limit = limit
        self.item = item
        self.column = column
        self.message = message
    }
}

extension CarillonError: CustomStringConvertible {
    /// Code, message, field and effect.
    public var description: String {
        let place = field.map { " (\($0)\(item.map { "[\($0)]" } ?? ""))" } ?? ""
        let effect =
            switch self.effect {
            case .notExecuted: ""
            case .unknown: "; it may have taken effect"
            case .executed: "; it took effect"
            }
        return "\(code): \(message)\(place)\(effect)"
    }
}
