/// The progress of a handshake.
package enum HandshakeProgress: Hashable, Sendable {
    /// The handshake waits for bytes of the peer; there may be ciphertext to send.
    case incomplete
    /// The handshake is complete: bytes may be read and written.
    case complete
}
