/// The distribution with which keys are chosen.
enum KeyDistribution: Equatable, Sendable {
    /// Every key has the same probability.
    case uniform
    /// The k-th most popular key has a probability proportional to k to the power of minus `exponent`.
    case zipf(exponent: Double)

    /// Parses `uniform`, `zipf` or `zipf:1.2`.
    init(_ text: String) throws(LoadError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts.first, parts.count) {
        case ("uniform", 1): self = .uniform
        case ("zipf", 1): self = .zipf(exponent: 0.99)
        case ("zipf", 2):
            guard let exponent = Double(parts[1]), (0.1...5).contains(exponent) else {
                throw LoadError("the exponent is a number of 0.1 to 5")
            }
            self = .zipf(exponent: exponent)
        default: throw LoadError("there are uniform, zipf and zipf:EXPONENT")
        }
    }

    var text: String {
        switch self {
        case .uniform: "uniform"
        case .zipf(let exponent): "zipf:\(exponent)"
        }
    }
}

extension KeyDistribution: CustomStringConvertible {
    /// The distribution as an argument of the command line.
    var description: String { text }
}
