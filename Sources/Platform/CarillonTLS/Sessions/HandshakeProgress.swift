/// The answer of a session that was told to go on with its handshake.
package enum HandshakeProgress: Hashable, Sendable {
    /// The handshake waits for bytes of the peer; there may be ciphertext to send.
    case incomplete
    /// The handshake is complete: bytes may be read and written.
    case complete
}
