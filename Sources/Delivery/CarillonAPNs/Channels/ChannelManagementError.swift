package import CarillonCore

/// The reason why a request of channel management has failed.
package struct ChannelManagementError: Error, Hashable, Sendable {
    /// The kind of failure, which tells the caller what to do.
    package enum Kind: Hashable, Sendable {
        /// APNs has no such channel: it never had, or no longer has.
        case noSuchChannel
        /// The text is no id of a channel (`BadChannelId`), so APNs cannot have had one of that name.
        case invalidChannelID
        /// APNs refuses the request: it fails again until the app, its credential or its channels change.
        case refused
        /// APNs gave no answer, or one that says to ask again.
        case unavailable
        /// As many requests are under way as are allowed.
        case overloaded
        /// The deadline of the client passed before the request was sent.
        case late
    }

    package var kind: Kind
    /// APNs' reason, at most 64 bytes, or the server's own word for an end without one (`AttemptEnd.reason`).
    package var reason: String
    /// The effect of the request at APNs, as far as it is known.
    package var effect: Effect
    /// The time after which to make the same request again, in milliseconds; nil if APNs did not say.
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
