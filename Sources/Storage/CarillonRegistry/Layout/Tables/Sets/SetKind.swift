import CarillonCore

/// The kinds of sets.
enum SetKind: UInt8 {
    /// The set of every active device.
    case all = 1
    /// The set of the devices that get no pushes. It is stored like a topic: a device itself or one of its groups is
    /// subscribed.
    case muted = 2
    case topic = 3
    case group = 4
    case attribute = 5
}
