package import CarillonTLS

/// The text `user:password` for a proxy: erased when it is not used any more. Requests that contain it exist only while
/// a tunnel is being opened.
package final class ProxyCredentials: Sendable, Hashable {
    private let secret: SecretBytes
    private let digest: [UInt8]

    /// Takes over the bytes.
    package init(_ secret: consuming SecretBytes) {
        digest = secret.withUnsafeBytes { SHA256.hash($0) }
        self.secret = secret
    }

    /// Calls `body` with the bytes, valid during the call.
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { secret.withUnsafeBytes(body) }

    /// Returns true if both are the same credentials.
    package static func == (left: ProxyCredentials, right: ProxyCredentials) -> Bool { left.digest == right.digest }

    /// Feeds the digest to a hasher.
    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
