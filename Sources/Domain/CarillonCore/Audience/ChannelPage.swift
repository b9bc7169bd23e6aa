/// A page of the broadcast channels of an app in one environment (Protocol 14.3).
public struct ChannelPage: Hashable, Sendable {
    /// The id after which the next page begins; nil if this was the last.
    public var next: String?
    /// The ids of the channels, ascending by their bytes.
    public var channels: [ChannelID]

    /// Makes a page; without `next` it is the last.
    public init(next: String? = nil, channels: [ChannelID]) {
        self.next = next
        self.channels = channels
    }

    /// Makes the page of `all` that begins after `after`; empty = from the start.
    ///
    /// - Parameter limit: the most rows of the page, at least 1.
    package init(of all: [ChannelID], after: String, limit: Int) {
        let order = { (left: ChannelID, right: ChannelID) in
            left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
        }
        let following = all.filter { after.utf8.lexicographicallyPrecedes($0.text.utf8) }.sorted(by: order)
        channels = Array(following.prefix(max(1, limit)))
        next = channels.count < following.count ? channels.last?.text : nil
    }
}
