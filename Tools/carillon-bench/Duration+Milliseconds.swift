import NIOCore

/// The durations in milliseconds.
extension Duration {
    /// The duration in milliseconds, with fractions.
    var milliseconds: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15
    }
}
