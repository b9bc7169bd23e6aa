import CarillonCore
import CarillonSpelling

/// The operations of the load and their shares.
struct Mix: Equatable, Sendable {
    /// An operation and its weight. Its share is the weight divided by the sum of all weights.
    struct Share: Equatable, Codable, Sendable {
        var operation: LoadOperation
        var weight: UInt32
    }

    /// The shares in the given order: at least one, and no operation twice.
    let shares: [Share]
    private let total: UInt64

    /// Parses `lookup=70,send-token=20,register=10`. A name alone has the weight 1.
    init(_ text: String) throws(LoadTestError) {
        var shares: [Share] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let operation = try Self.operation(words[0])
            guard !shares.contains(where: { $0.operation == operation }) else {
                throw LoadTestError("'\(operation.name)' occurs twice")
            }
            guard let weight = words.count == 1 ? 1 : UInt32(words[1]), (1...1_000_000).contains(weight) else {
                throw LoadTestError("the share of '\(operation.name)' is a whole number of 1 to 1000000")
            }
            shares.append(Share(operation: operation, weight: weight))
        }
        self.init(shares)
    }

    private static func operation(_ name: Substring) throws(LoadTestError) -> LoadOperation {
        if let operation = LoadOperation(name: name) { return operation }
        let names = LoadOperation.allCases.map(\.name)
        let nearest = Spelling.nearest(to: String(name), among: names)
        let advice = nearest.map { "Did you mean '\($0)'? " } ?? ""
        throw LoadTestError("'\(name)' is not an operation. \(advice)There are \(names.joined(separator: ", "))")
    }

    /// Makes a mix in which each operation is as frequent as its weight.
    ///
    /// - Parameter shares: at least one share, and no operation twice.
    init(_ shares: [Share]) {
        self.shares = shares
        total = shares.reduce(0) { $0 + UInt64($1.weight) }
    }

    /// The mix as an argument of the command line.
    var text: String { shares.map { "\($0.operation.name)=\($0.weight)" }.joined(separator: ",") }

    var hasSends: Bool { shares.contains { $0.operation.isSend } }

    /// Returns the share of an operation, from 0 to 1.
    func share(of operation: LoadOperation) -> Double {
        Double(shares.first { $0.operation == operation }?.weight ?? 0) / Double(total)
    }

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

extension Mix: CustomStringConvertible {
    var description: String { text }
}
