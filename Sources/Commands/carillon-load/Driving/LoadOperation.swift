/// A kind of request of the load.
enum LoadOperation: UInt8, CaseIterable, Sendable {
    case lookup
    case register
    case subscribe
    case sendToken
    case sendGroup
    case sendTopic

    /// The name of the operation in `--mix` and in reports.
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

    var isSend: Bool { [.sendToken, .sendGroup, .sendTopic].contains(self) }
}

extension LoadOperation: Codable {
    init?(name: some StringProtocol) {
        guard let operation = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = operation
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let operation = LoadOperation(name: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no such operation")
        }
        self = operation
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
