public import CarillonCore

/// The result of moving a device from one group to another.
public struct SwitchGroupResult: Hashable, Sendable {
    /// The device that has changed its group.
    public var device: DeviceID
    /// True if the device was in the group that it left.
    public var hasLeft: Bool
    /// True if the device was not yet in the group that it joined.
    public var hasJoined: Bool
    /// The announcement that was accepted; nil if there was no announcement to send.
    public var announcement: MessageID?

    /// Makes a result as a server answers it, for tests of a program.
    public init(device: DeviceID, hasLeft: Bool, hasJoined: Bool, announcement: MessageID? = nil) {
        self.device = device
        self.hasLeft = hasLeft
        self.hasJoined = hasJoined
        self.announcement = announcement
    }
}
