/// A kind of request of the load.
enum LoadOperation: UInt8, CaseIterable, Codable, Sendable {
    case lookup
    case register
    case subscribe
    case sendToken
    case sendGroup
    case sendTopic

    /// The name in `--mix` and in reports.
    var name: String {
        switch self {
        case .lookup: "lookup"
        case .register: "register"
        case .subscribe: "subscribe"
        case .sendToken: "send-token"
        case .sendGroup: "send-group"
        case .sendTopic: "send-topic"
        }
    }

    /// True if it sends a push.
    var isSend: Bool { [.sendToken, .sendGroup, .sendTopic].contains(self) }
}
