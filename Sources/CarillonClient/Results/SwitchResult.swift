public import CarillonCore

/// The result of moving a device from one group to another.
public struct SwitchResult: Hashable, Sendable {
    /// The device that has changed its group.
    public var device: DeviceID
    /// True if it was in the group that it left.
    public var hasLeft: Bool
    /// True if it was not yet in the group that it joined.
    public var hasJoined: Bool
    /// The announcement that was accepted; nil if there was none to make.
    public var announcement: MessageID?

    /// Makes the answer to a change of group.
    public init(device: DeviceID, hasLeft: Bool, hasJoined: Bool, announcement: MessageID? = nil) {
        self.device = device
        self.hasLeft = hasLeft
        self.hasJoined = hasJoined
        self.announcement = announcement
    }
}
