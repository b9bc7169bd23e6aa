public import CarillonCore

/// A group as it is listed.
public struct GroupSummary: Hashable, Sendable {
    /// The name. A listing ascends by it.
    public var group: GroupName
    /// The number of devices in the group.
    public var devices: Int
    /// True if the group is muted: its devices get no pushes.
    public var isMuted: Bool

    /// Makes a row as a server answers it, for tests of a program.
    public init(group: GroupName, devices: Int, isMuted: Bool = false) {
        self.group = group
        self.devices = devices
        self.isMuted = isMuted
    }
}
