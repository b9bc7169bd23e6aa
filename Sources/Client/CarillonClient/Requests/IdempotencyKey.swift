public import CarillonCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The idempotency key of a message: sending twice with the same key sends once.
public enum IdempotencyKey: Hashable, Sendable {
    /// A random key, made once for the call, so that the client can retry it.
    case random
    /// A key that your program has chosen, so that it can repeat the call, even after a restart.
    case bytes(UUIDBytes)
    /// No key: the client does not retry the call once the server may have executed it.
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

/// The random idempotency keys of one client (CONTRACT.md, RET-3): UUIDs of version 4 from the operating system's
/// random source, read for 16 keys at a time. To read it for each key took a tenth of the processor time of a send.
///
/// A process that forks has no working client in the child, so that no two processes make keys from the same bytes.
final class RandomKeys: Sendable {
    /// The random words that are not used yet, two for a key.
    private let words = Mutex<[UInt64]>([])
    /// The number of words that are read at a time: `getentropy` reads at most 256 bytes.
    private static let wordCount = 32

    /// Returns a key that was not returned before.
    func next() -> UUIDBytes {
        words.withLock { words in
            if words.isEmpty { words = Self.randomWords() }
            return UUIDBytes(version4High: words.removeLast(), low: words.removeLast())
        }
    }

    private static func randomWords() -> [UInt64] {
        var words = [UInt64](repeating: 0, count: wordCount)
        let isFilled = words.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) == 0 }
        if !isFilled {
            var generator = SystemRandomNumberGenerator()
            for index in words.indices { words[index] = generator.next() }
        }
        return words
    }
}
