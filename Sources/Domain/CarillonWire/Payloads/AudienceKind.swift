import CarillonCore

/// The kind of the audience of a SEND (Protocol 10.1).
enum AudienceKind: UInt8 {
    case devices = 1
    case groups = 2
    case topic = 3
    case condition = 4
    case all = 5
    case channel = 6

    init(_ audience: Audience) {
        self =
            switch audience {
            case .devices: .devices
            case .groups: .groups
            case .topic: .topic
            case .condition: .condition
            case .all: .all
            case .channel: .channel
            }
    }

    /// The tagged field of the kind; nil for a kind without one.
    var field: (tag: UInt32, field: String)? {
        switch self {
        case .devices, .all: nil
        case .groups: (SendTag.groups, "groups")
        case .topic: (SendTag.topic, "topic")
        case .condition: (SendTag.condition, "condition")
        case .channel: (SendTag.channel, "channel")
        }
    }
}
