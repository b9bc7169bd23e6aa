package import CarillonCore

/// The tables with claims, as the registry keeps them. A row is nil if the table has none for the key.
package protocol ClaimTables {
    /// The error that reading or writing a table throws.
    associatedtype Failure: Error
    /// Returns the claims of a message, and its app if it is a silent push.
    func claims(of message: MessageID) throws(Failure) -> (claims: MessageClaims, silentApp: AppID?)?
    /// Replaces the claims of a message.
    mutating func set(_ row: (claims: MessageClaims, silentApp: AppID?)?, of message: MessageID) throws(Failure)
    /// Returns the sender of silent pushes of an app.
    func silentPushClaim(of app: AppID) throws(Failure) -> SilentPushClaim?
    /// Replaces the sender of silent pushes of an app.
    mutating func set(_ claim: SilentPushClaim?, of app: AppID) throws(Failure)
}
