/// The operations of the load and their shares.
struct Mix: Equatable, Sendable {
    /// An operation and its weight; its share is the weight divided by the sum of all weights.
    struct Share: Equatable, Codable, Sendable {
        var operation: LoadOperation
        var weight: UInt32
    }

    /// The shares in the given order; at least one, no operation twice.
    let shares: [Share]
    private let total: UInt64

    /// Parses `lookup=70,send-token=20,register=10`; a name alone has the weight 1.
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

    /// Makes a mix from at least one share, with no operation twice.
    init(_ shares: [Share]) {
        self.shares = shares
        total = shares.reduce(0) { $0 + UInt64($1.weight) }
    }

    /// The mix as an argument.
    var text: String { shares.map { "\($0.operation.name)=\($0.weight)" }.joined(separator: ",") }

    /// Chooses a random operation.
    func next(_ generator: inout SeededGenerator) -> LoadOperation {
        guard shares.count > 1 else { return shares[0].operation }
        var point = UInt64.random(in: 0..<total, using: &generator)
        for share in shares.dropLast() {
            if point < UInt64(share.weight) { return share.operation }
            point -= UInt64(share.weight)
        }
        return shares[shares.count - 1].operation
    }
}
