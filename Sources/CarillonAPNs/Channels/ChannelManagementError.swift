package import CarillonCore

/// Why a call of channel management has failed.
package struct ChannelManagementError: Error, Hashable, Sendable {
    /// Who is to act.
    package enum Kind: Hashable, Sendable {
        /// APNs has no such channel, or the id is none.
        case noSuchChannel
        /// APNs refuses the call: the same call fails again until the app, its credential or its channels change.
        case refused
        /// APNs gave no answer, or one that says to ask again.
        case unavailable
        /// As many calls are under way as are allowed.
        case overloaded
        /// The deadline of the request passed before the call was sent.
        case late
    }

    /// Who is to act.
    package var kind: Kind
    /// APNs' reason, at most 64 bytes, or the server's own word for an end without one (`AttemptEnd.reason`).
    package var reason: String
    /// Whether APNs has carried out the call.
    package var effect: Effect
    /// When to make the same call again, in milliseconds; nil if APNs did not say.
    package var afterMilliseconds: UInt64?

    package init(
        _ kind: Kind, reason: String, effect: Effect = .notExecuted, afterMilliseconds: UInt64? = nil
    ) {
        self.kind = kind
        self.reason = reason
        self.effect = effect
        self.afterMilliseconds = afterMilliseconds
    }
}
