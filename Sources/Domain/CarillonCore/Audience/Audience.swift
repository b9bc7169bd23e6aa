/// The audience of a message: the devices that it is addressed to (Protocol 10.1).
///
/// ```swift
/// let players = Audience.devices([.id(phone.id), .address(address)])
/// let guild = Audience.groups([GroupName("guild/7")!])
/// let germans = Audience.condition(try Condition("'raids' in topics && locale == 'de'"))
/// ```
public enum Audience: Hashable, Sendable {
    /// The devices in a list. A device that is listed twice counts once. A token that is not registered is also a
    /// recipient; its outcome is `unregistered`.
    case devices([DeviceReference])
    /// Every device that is in at least one of these groups.
    case groups([GroupName])
    /// Every device that is subscribed to the topic, itself or through a group.
    case topic(TopicName)
    /// Every device for which the condition holds.
    case condition(Condition)
    /// Every device of the app.
    case all
    /// The devices that are subscribed to a broadcast channel at APNs. The message has one recipient, the channel.
    case channel(ChannelAddress)

    /// The audience as a condition; nil for a list of devices and for a channel.
    package var condition: Condition? {
        switch self {
        case .devices, .channel: nil
        case .groups(let groups): .groups(groups)
        case .topic(let topic): .topic(topic)
        case .condition(let condition): condition
        case .all: .all
        }
    }
}
