import CarillonCore

/// The rule that judges a registration whose token is known or was unregistered, or that replaces a known token
/// (Protocol 7.1).
struct RegistrationRule {
    /// The time at which the app has seen the token, at most `now`.
    let seenAt: Timestamp
    let now: Timestamp

    /// The result of the rule.
    enum Judgement: Hashable {
        /// A later registration or unregistration is stored.
        case stale
        /// A limit would be exceeded.
        case tooMany(ChangeAnswer.LimitedItem)
        /// The registration is stored. With `isDead` the device stays in quarantine: the token has died since.
        case accepted(isDead: Bool)
    }

    /// Judges a registration.
    ///
    /// - Parameters:
    ///   - current: when the device that has the token was seen; nil if none has it.
    ///   - replaced: when the device was seen whose token is replaced; nil if no token is replaced.
    ///   - exceeded: finds the limit that would be exceeded; nil if none.
    ///   - death: finds when the provider has declared the token of `current` dead; nil if it has not.
    func judge(
        current: Timestamp?, replaced: Timestamp?, exceeded: () throws -> ChangeAnswer.LimitedItem?,
        death: () throws -> Timestamp?
    ) rethrows -> Judgement {
        if let current, isStale(after: current) { return .stale }
        if let replaced, isStale(after: replaced) { return .stale }
        if let item = try exceeded() { return .tooMany(item) }
        // A late retry does not bring back a device whose token has died since. A new token is alive.
        guard current != nil, replaced == nil, seenAt < now, let death = try death() else {
            return .accepted(isDead: false)
        }
        return .accepted(isDead: seenAt <= death)
    }

    /// Returns true if a tombstone makes the registration stale. On equal times the tombstone wins. A registration of
    /// now wins over a tombstone from the future.
    func isStale(after tombstone: Tombstone) -> Bool {
        tombstone.at > now ? now > seenAt : tombstone.at >= seenAt
    }

    private func isStale(after stored: Timestamp) -> Bool { stored.clamped(to: now) > seenAt }
}
