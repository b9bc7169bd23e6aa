/// A kind of request that the load consists of.
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

    /// Whether it sends a push.
    var isSend: Bool { [.sendToken, .sendGroup, .sendTopic].contains(self) }
}

/// Which operations the load consists of, and with which shares.
struct Mix: Equatable, Sendable {
    /// An operation and its share, in parts of the sum of all shares.
    struct Share: Equatable, Codable, Sendable {
        var operation: LoadOperation
        var weight: UInt32
    }

    /// In the order in which they were named; at least one, none twice.
    let shares: [Share]
    private let total: UInt64

    /// Reads `lookup=70,send-token=20,register=10`; a name alone has the share 1.
    init?(_ text: String) {
        var shares: [Share] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let operation = LoadOperation.allCases.first(where: { $0.name == words[0] }),
                !shares.contains(where: { $0.operation == operation }),
                let weight = words.count == 1 ? 1 : UInt32(words[1]), (1...1_000_000).contains(weight)
            else { return nil }
            shares.append(Share(operation: operation, weight: weight))
        }
        guard !shares.isEmpty else { return nil }
        self.init(shares)
    }

    /// Shares of which there is at least one, and no operation twice.
    init(_ shares: [Share]) {
        self.shares = shares
        total = shares.reduce(0) { $0 + UInt64($1.weight) }
    }

    /// The way back.
    var text: String { shares.map { "\($0.operation.name)=\($0.weight)" }.joined(separator: ",") }

    /// Chooses an operation by chance.
    func next(_ generator: inout SeededGenerator) -> LoadOperation {
        guard shares.count > 1 else { return shares[0].operation }
        var place = UInt64.random(in: 0..<total, using: &generator)
        for share in shares.dropLast() {
            if place < UInt64(share.weight) { return share.operation }
            place -= UInt64(share.weight)
        }
        return shares[shares.count - 1].operation
    }
}
