import CarillonCore

/// The form of the audience of a SEND (Protocol 10.1).
enum AudienceForm: UInt8 {
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

    /// The tagged field of the form; nil for a form without one.
    var field: (tag: UInt32, field: String)? {
        switch self {
        case .devices, .all: nil
        case .groups: (23, "groups")
        case .topic: (25, "topic")
        case .condition: (27, "condition")
        case .channel: (61, "channel")
        }
    }
}
