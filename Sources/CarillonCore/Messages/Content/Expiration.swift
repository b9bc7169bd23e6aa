/// The time for which the provider stores a push that it cannot deliver at once.
public enum Expiration: Hashable, Sendable {
    /// The provider decides; APNs stores it for up to 30 days.
    case unspecified
    /// One attempt, not stored.
    case once
    /// Stored until that second of UNIX time.
    case at(seconds: UInt64)
}
