public import CarillonCore

/// Why a call failed, whether it took effect, and whether making it again can help. Descriptions are safe to show.
public struct CarillonError: Error, Hashable, Sendable {
    /// The cause.
    public var code: Code
    /// Whether the call took effect, over all its attempts. Calls that only read have none.
    public var effect: Effect
    /// The reach of the error: the request or the connection.
    public var scope: ErrorScope
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
    /// Of a call about a broadcast channel: the reason that APNs gave, or the server's own word if it gave no answer;
    /// nil if APNs was not asked.
    public var reason: String?
    /// The idempotency key of a `send` or `resend`, for a repetition by the program; nil if there is none.
    public internal(set) var key: UUIDBytes?
    /// How many requests were written.
    public var attempts = 0
    /// With `cannotConnect` one text for each address that was tried: the address and why it failed.
    public internal(set) var causes: [String] = []
    /// A text for engineers; never a secret, a payload or a whole token.
    public var message: String
    /// True if the same arguments may be sent again although the effect is unknown.
    var isRepeatable = false

    /// An error as a client throws it, for tests of a program. Nil for `scope` means that of the code.
    public init(
        _ code: Code,
        effect: Effect = .notExecuted,
        scope: ErrorScope? = nil,
        retryAfter: Duration? = nil,
        field: String? = nil,
        limit: UInt64? = nil,
        item: UInt32? = nil,
        column: UInt32? = nil,
        reason: String? = nil,
        message: String
    ) {
        self.code = code
        self.effect = effect
        self.scope = scope ?? (code.isOfConnection ? .connection : .request)
        self.retryAfter = retryAfter
        self.field = field
        self.limit = limit
        self.item = item
        self.column = column
        self.reason = reason
        self.message = message
    }

    /// True if the call certainly took no effect.
    public var isNotExecuted: Bool { effect == .notExecuted }

    /// True if the same arguments may be sent again without a second effect; of a `send` or `resend` with `key`.
    public var isSafeToRetry: Bool { isNotExecuted || (effect == .unknown && isRepeatable) }

    /// True if the same call can succeed later.
    public var isTransient: Bool { retryAfter != nil }
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
