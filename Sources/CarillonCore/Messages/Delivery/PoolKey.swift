/// The key of a connection pool: one credential and one service.
package struct PoolKey: Hashable, Sendable, CustomStringConvertible {
    /// The service.
    package var service: PushService
    /// The credential's name in the configuration; not a secret.
    package var credential: String

    /// Makes a key.
    package init(service: PushService, credential: String) {
        self.service = service
        self.credential = credential
    }

    /// `credential/environment`, as statistics and metrics name a pool. A credential is of one provider.
    package var description: String { "\(credential)/\(service.environment.name)" }
}
