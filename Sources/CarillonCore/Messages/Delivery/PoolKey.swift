/// The key of a connection pool: one credential and one APNs environment.
package struct PoolKey: Hashable, Sendable, CustomStringConvertible {
    /// Which APNs.
    package var environment: Environment
    /// The credential's name in the configuration; not a secret.
    package var credential: String

    /// Makes a key.
    package init(environment: Environment, credential: String) {
        self.environment = environment
        self.credential = credential
    }

    /// `credential/environment`.
    package var description: String { "\(credential)/\(environment.name)" }
}
