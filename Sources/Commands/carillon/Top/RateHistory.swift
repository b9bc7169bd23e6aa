/// The latest rates, as a line of bars.
struct RateHistory: Equatable {
    /// The maximum number of rates that are kept: more than the columns of most terminals.
    private static let limit = 512

    private(set) var rates: [Double] = []

    /// The highest rate that is kept; 0 before the first.
    var highest: Double { rates.max() ?? 0 }

    /// Adds a rate; the oldest is dropped if there are too many.
    mutating func add(_ rate: Double) {
        if rates.count == Self.limit { rates.removeFirst() }
        rates.append(rate)
    }

    /// Returns the latest rates, a bar for each, the highest with the full height.
    func line(columns: Int) -> String {
        let shown = rates.suffix(max(0, columns))
        guard let highest = shown.max(), highest > 0 else { return String(repeating: " ", count: shown.count) }
        let bars = Array(" ▁▂▃▄▅▆▇█")
        return String(
            shown.map { rate in
                // Only no delivery at all has no bar.
                rate <= 0 ? bars[0] : bars[min(8, max(1, Int((rate / highest * 8).rounded())))]
            })
    }
}
