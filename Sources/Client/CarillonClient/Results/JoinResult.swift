public import CarillonCore

/// The result of joining a group.
public struct JoinResult: Hashable, Sendable {
    /// The number of devices that were not in the group before.
    public var joined: Int
    /// The announcement that was accepted; nil if there was no announcement to send.
    public var announcement: MessageID?
    /// The indices of the devices that are not registered.
    public var unknown: [Int]

    /// Makes a result as a server answers it, for tests of a program.
    public init(joined: Int, announcement: MessageID? = nil, unknown: [Int] = []) {
        self.joined = joined
        self.announcement = announcement
        self.unknown = unknown
    }
}
