/// The key of a connection pool: one credential and one destination.
package struct PoolKey: Hashable, Sendable, CustomStringConvertible {
    package var destination: PushDestination
    /// The credential's name in the configuration; not a secret.
    package var credential: String

    /// Makes a key; the credential must be one of the destination's provider.
    package init(destination: PushDestination, credential: String) {
        self.destination = destination
        self.credential = credential
    }

    /// The name of the pool in statistics and metrics: `credential/environment`. A credential is of one provider.
    package var description: String { "\(credential)/\(destination.environment.name)" }
}
