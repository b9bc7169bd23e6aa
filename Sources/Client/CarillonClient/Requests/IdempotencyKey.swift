public import CarillonCore

/// The idempotency key of a message: sending twice with the same key sends once.
public enum IdempotencyKey: Hashable, Sendable {
    /// A random key, made once for the call, so that the client can repeat it.
    case random
    /// A key of the program, so that the program can repeat the call, also after a restart.
    case bytes(UUIDBytes)
    /// No key: the client does not repeat the call once the server can have executed it.
    case none

    /// Returns the key of a request; nil for a request without a key.
    ///
    /// - Parameter randomKeys: those of the client.
    func bytes(_ randomKeys: RandomKeys) -> UUIDBytes? {
        switch self {
        case .random: randomKeys.next()
        case .bytes(let key): key.nonzero
        case .none: nil
        }
    }
}
