/// The most deliveries that a connection takes in one pull.
package struct PullLimits: Hashable, Sendable {
    /// The limit of both lanes together.
    package var all: Int
    package var interactive: Int
    package var bulk: Int

    /// Makes limits; the limit of a lane is `all` unless it is given.
    package init(_ all: Int, interactive: Int? = nil, bulk: Int? = nil) {
        self.all = all
        self.interactive = interactive ?? all
        self.bulk = bulk ?? all
    }

    /// Returns the limits that remain after `count` deliveries.
    package func reduced(by count: Int) -> PullLimits {
        PullLimits(max(0, all - count), interactive: max(0, interactive - count), bulk: max(0, bulk - count))
    }
}
