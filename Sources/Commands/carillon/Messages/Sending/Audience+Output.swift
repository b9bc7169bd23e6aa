import CarillonCore

/// Advice about audiences.
extension Audience {
    /// Returns advice for a message whose audience is empty.
    func adviceIfEmpty(app: AppID) -> String {
        switch self {
        case .topic(let topic):
            "no device is subscribed to topic \(topic); `carillon topic list --app \(app)` lists the topics"
        case .groups(let groups):
            groups.count == 1
                ? "no device is in group \(groups[0]); `carillon group list --app \(app)` lists the groups"
                : "no device is in these groups; `carillon group list --app \(app)` lists the groups"
        case .condition:
            "the condition holds for no device; `carillon audience explain CONDITION --app \(app)` counts its terms"
        case .all: "the app \(app) has no devices"
        case .devices: "none of the devices is registered"
        case .channel(let channel): "\(channel) is always one recipient"
        }
    }
}
