/// Durations as the benches print them.
extension Duration {
    var fractionalMilliseconds: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15
    }
}
