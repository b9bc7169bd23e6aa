public import CarillonCore

/// The reason why a call failed. It says whether the call took effect, and whether it can help to make the call again.
/// Its description contains no secret.
///
/// ```swift
/// do throws(CarillonError) {
///     try await game.send(notification, to: .topic("raids"))
/// } catch {
///     guard error.isTransient, error.isSafeToRetry, let key = error.key else { throw error }
///     try await game.send(notification, to: .topic("raids"), options: .init(key: .bytes(key)))
/// }
/// ```
public struct CarillonError: Error, Hashable, Sendable {
    /// The cause, on which a program can base its decisions; `message` is for engineers.
    public var code: Code
    /// The effect of the call, over all its attempts. For a call that only reads it is `.notExecuted`.
    public var effect: Effect
    /// The scope of the error: the request or the connection.
    public var scope: ErrorScope
    /// How long to wait before making the same call again; nil if it would fail again.
    public var retryAfter: Duration?
    /// The field at fault, as the protocol names it; nil if no field is at fault.
    public var field: String?
    /// The limit that was exceeded; nil if no limit was exceeded.
    public var limit: UInt64?
    /// The index, from 0, of the item at fault in its list; nil if no item is at fault.
    public var item: UInt32?
    /// The position of the fault in a condition, in bytes from 1; nil if the fault is not in a condition.
    public var column: UInt32?
    /// The reason that APNs gave for a refused call about a broadcast channel, or the server's own word if APNs gave no
    /// answer; nil if APNs was not asked.
    public var reason: String?
    /// The idempotency key of a `send` or `resend`, for a repetition by the program; nil if the call had none.
    public internal(set) var key: UUIDBytes?
    /// The number of requests that were written.
    public var attempts = 0
    /// The addresses that were tried, each with its fault; only with `.cannotConnect`.
    public internal(set) var causes: [String] = []
    /// A text for engineers; never a secret, a payload or a whole token.
    public var message: String
    /// True if the same arguments may be sent again although the effect is unknown.
    var isRepeatable = false

    /// Makes an error as a client throws it, for tests of a program. A nil `scope` means the scope of the code.
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

    /// True if making the call again cannot have a second effect. A `send` or `resend` must be made again with `key`.
    public var isSafeToRetry: Bool { isNotExecuted || (effect == .unknown && isRepeatable) }

    /// True if the same call can succeed later.
    public var isTransient: Bool { retryAfter != nil }
}

extension CarillonError: CustomStringConvertible {
    /// The code, the message, the field and the effect.
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
