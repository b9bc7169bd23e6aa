/// A push whose next attempt the retry policy decides.
package struct RetriedPush: Hashable, Sendable {
    /// The milliseconds since its message came into memory.
    package var ageMilliseconds: UInt64
    /// True if the push is useless or harmful when it is late.
    package var isTriedOnce: Bool

    package init(ageMilliseconds: UInt64, isTriedOnce: Bool) {
        self.ageMilliseconds = ageMilliseconds
        self.isTriedOnce = isTriedOnce
    }
}
