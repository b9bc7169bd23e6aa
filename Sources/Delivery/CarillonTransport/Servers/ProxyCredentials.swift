package import CarillonTLS

/// The text `user:password` for a proxy, which is erased when it is no longer used. Requests that contain it exist only
/// while a tunnel is being opened.
package final class ProxyCredentials: Sendable, Hashable {
    private let secret: SecretBytes
    private let digest: [UInt8]

    package init(_ secret: consuming SecretBytes) {
        digest = secret.withUnsafeBytes { SHA256.hash($0) }
        self.secret = secret
    }

    /// Calls `body` with the bytes, valid during the call.
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { secret.withUnsafeBytes(body) }

    package static func == (left: ProxyCredentials, right: ProxyCredentials) -> Bool { left.digest == right.digest }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
