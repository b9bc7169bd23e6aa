/// The time for which APNs stores a push that it cannot deliver at once (header `apns-expiration`).
public enum Expiration: Hashable, Sendable {
    /// The header is absent: APNs decides, up to 30 days.
    case unspecified
    /// One attempt, not stored.
    case once
    /// Stored until that second of UNIX time.
    case at(seconds: UInt64)
}
