package import CarillonCore

/// The tables with claims, as the registry keeps them. A row is nil if the table has none for the key.
package protocol ClaimTables {
    /// The error that reading or writing a table throws.
    associatedtype Failure: Error
    func claimsRow(of message: MessageID) throws(Failure) -> ClaimsRow?
    /// Replaces the row of a message.
    mutating func setClaimsRow(_ row: ClaimsRow?, of message: MessageID) throws(Failure)
    /// Returns the sender of silent pushes of an app.
    func silentPushClaim(of app: AppID) throws(Failure) -> SilentPushClaim?
    /// Replaces the sender of silent pushes of an app.
    mutating func setSilentPushClaim(_ claim: SilentPushClaim?, of app: AppID) throws(Failure)
}
