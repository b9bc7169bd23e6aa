public import CarillonCore

/// The result of joining a group.
public struct JoinResult: Hashable, Sendable {
    /// Devices that were not in the group before.
    public var joined: Int
    /// The announcement that was accepted; nil if there was none to make.
    public var announcement: MessageID?
    /// Indices of the devices that are not registered.
    public var unknown: [Int]

    /// Makes the answer to a join.
    public init(joined: Int, announcement: MessageID? = nil, unknown: [Int] = []) {
        self.joined = joined
        self.announcement = announcement
        self.unknown = unknown
    }
}
