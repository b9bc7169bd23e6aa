/// The silence after which a member may be expired.
package struct Silence: Hashable, Sendable {
    /// The number of the member's renewals when the silence began.
    package var renewals: UInt64
    /// The milliseconds of silence by the log database's clock: lease and margin.
    package var milliseconds: UInt64

    package init(renewals: UInt64, milliseconds: UInt64) {
        self.renewals = renewals
        self.milliseconds = milliseconds
    }
}
