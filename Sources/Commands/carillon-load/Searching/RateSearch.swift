/// Searches for the highest rate that holds. The rate doubles until it fails, then the gap is halved.
///
/// A rate fails only if it fails twice in a row, so that one disturbance of the machine does not decide.
struct RateSearch: Equatable {
    private let start: Double
    private let bounds: ClosedRange<Double>
    private let precision: Double
    /// The highest rate that has held; nil if no rate has held.
    private(set) var highestHolding: Double?
    /// The lowest rate that has failed twice; nil if there is none.
    private(set) var lowestFailing: Double?
    /// The rate that has failed once and is tried again; nil if no rate is in doubt.
    private var doubtfulRate: Double?

    /// Begins a search between two rates.
    ///
    /// - Parameters:
    ///   - start: the first rate.
    ///   - bounds: the lowest and the highest rate that are tried; `start` is within them.
    ///   - precision: the part, such as 0.05, by which the lowest rate that fails may be above the highest that holds
    ///     at the end of the search.
    init(start: Double, bounds: ClosedRange<Double>, precision: Double) {
        self.start = start
        self.bounds = bounds
        self.precision = precision
    }

    /// The rate of the next step; nil at the end.
    var nextRate: Double? {
        if let doubtfulRate { return doubtfulRate }
        switch (highestHolding, lowestFailing) {
        case (nil, nil): return start
        case (let holding?, nil): return holding < bounds.upperBound ? min(holding * 2, bounds.upperBound) : nil
        case (nil, let failing?): return failing > bounds.lowerBound ? max(failing / 2, bounds.lowerBound) : nil
        case (let holding?, let failing?):
            return failing > holding * (1 + precision) ? (holding + failing) / 2 : nil
        }
    }

    /// Records the result of the step at the rate `nextRate`.
    mutating func record(holds: Bool) {
        guard let rate = nextRate else { return }
        let hasFailedBefore = doubtfulRate != nil
        doubtfulRate = nil
        if holds {
            highestHolding = rate
        } else if hasFailedBefore {
            lowestFailing = rate
        } else {
            doubtfulRate = rate
        }
    }
}
