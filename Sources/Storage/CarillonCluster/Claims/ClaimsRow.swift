package import CarillonCore

/// The row of the replicated state about the claims of one message.
package struct ClaimsRow: Hashable, Sendable {
    /// The claims of the members to its pages.
    package var claims: MessageClaims
    /// The app of the message if it is a silent push; nil otherwise.
    package var silentPushApp: AppID?

    package init(claims: MessageClaims, silentPushApp: AppID?) {
        (self.claims, self.silentPushApp) = (claims, silentPushApp)
    }
}
