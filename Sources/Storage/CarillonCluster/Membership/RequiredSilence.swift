/// The silence of a member that the log database must confirm before it expires the member.
package struct RequiredSilence: Hashable, Sendable {
    /// The number of the member's renewals so far, which must still be the same.
    package var renewals: UInt64
    /// How long the last renewal must be ago by the log database's clock: lease and margin.
    package var milliseconds: UInt64

    package init(renewals: UInt64, milliseconds: UInt64) {
        self.renewals = renewals
        self.milliseconds = milliseconds
    }
}
