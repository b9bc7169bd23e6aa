import CarillonCore

/// Judges a registration with a known or unregistered token, or one that replaces a known token (Protocol 7.1).
struct RegistrationRule {
    /// The time at which the app has seen the token, at most `now`.
    let seenAt: Timestamp
    let now: Timestamp

    /// Returns true if a later registration is stored: this one is refused.
    ///
    /// - Parameters:
    ///   - current: when the device that has the token was seen; nil if none has it.
    ///   - replaced: when the device was seen whose token is replaced; nil if no token is replaced.
    func isStale(current: Timestamp?, replaced: Timestamp?) -> Bool {
        if let current, isStale(after: current) { return true }
        return replaced.map { isStale(after: $0) } ?? false
    }

    /// Returns true if the device stays in quarantine, because its token has died since the app has seen it. A late
    /// retry does not bring back such a device. A token that replaces another is alive.
    ///
    /// - Parameters:
    ///   - current: when the device that has the token was seen; nil if none has it.
    ///   - replaced: when the device was seen whose token is replaced; nil if no token is replaced.
    ///   - declaredDeadAt: finds when the provider has declared the token of `current` dead; nil if it has not.
    func isTokenDead(
        current: Timestamp?, replaced: Timestamp?, declaredDeadAt: () throws -> Timestamp?
    ) rethrows -> Bool {
        guard current != nil, replaced == nil, seenAt < now, let deadAt = try declaredDeadAt() else { return false }
        return seenAt <= deadAt
    }

    /// Returns true if a tombstone makes the registration stale. If both times are equal, the tombstone wins. If the
    /// tombstone is from the future, a registration whose time is now wins.
    func isStale(after tombstone: Tombstone) -> Bool {
        tombstone.unregisteredAt > now ? now > seenAt : tombstone.unregisteredAt >= seenAt
    }

    private func isStale(after registered: Timestamp) -> Bool { registered.clamped(to: now) > seenAt }
}
