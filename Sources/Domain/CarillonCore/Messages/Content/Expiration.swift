/// How long the provider stores a push that it cannot deliver at once.
public enum Expiration: Hashable, Sendable {
    /// The time that the provider decides; APNs stores the push for up to 30 days.
    case unspecified
    /// No time: the provider makes one attempt and does not store the push.
    case once
    /// The time until that second of UNIX time.
    case at(seconds: UInt64)
}
