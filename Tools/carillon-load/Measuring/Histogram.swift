/// Counts of whole numbers in buckets that grow with the number (log-linear), so that every percentile is right to a
/// number of significant digits, whatever the range.
///
/// Used for nanoseconds. It holds numbers up to `limit` and takes larger ones for it; memory grows with the largest
/// number seen: 280 KB at three digits and an hour.
struct Histogram: Equatable, Sendable {
    /// How exact percentiles are.
    enum Precision: Int, Codable, Sendable {
        /// Within 1 %.
        case twoDigits = 8
        /// Within 0.1 %.
        case threeDigits = 11
    }

    /// The largest number told apart: 73 minutes of nanoseconds.
    static let limit: UInt64 = 1 << 42

    let precision: Precision
    /// Counts by bucket; those after the last are 0.
    private(set) var buckets: [UInt64] = []
    /// How many numbers there are.
    private(set) var count: UInt64 = 0
    /// The least and the largest number; 0 while there is none.
    private(set) var minimum: UInt64 = 0
    private(set) var maximum: UInt64 = 0
    private var sum = 0.0

    init(_ precision: Precision = .threeDigits) {
        self.precision = precision
    }

    /// Counts a number, or `times` of them.
    mutating func record(_ value: UInt64, times: UInt64 = 1) {
        guard times > 0 else { return }
        let value = min(value, Self.limit)
        let index = Self.index(of: value, precision)
        if index >= buckets.count {
            buckets.append(contentsOf: repeatElement(0, count: index + 1 - buckets.count))
        }
        buckets[index] += times
        minimum = count == 0 ? value : min(minimum, value)
        maximum = max(maximum, value)
        count += times
        sum += Double(value) * Double(times)
    }

    /// Counts all of another histogram, which has the same precision.
    mutating func add(_ other: Histogram) {
        precondition(precision == other.precision, "histograms of two precisions")
        guard other.count > 0 else { return }
        if other.buckets.count > buckets.count {
            buckets.append(contentsOf: repeatElement(0, count: other.buckets.count - buckets.count))
        }
        for (index, times) in other.buckets.enumerated() { buckets[index] += times }
        minimum = count == 0 ? other.minimum : min(minimum, other.minimum)
        maximum = max(maximum, other.maximum)
        count += other.count
        sum += other.sum
    }

    /// The mean; 0 of nothing.
    var mean: Double { count == 0 ? 0 : sum / Double(count) }

    /// The number that `percent` of all are not above, rounded up within the precision; 0 of nothing.
    func percentile(_ percent: Double) -> UInt64 { percentiles([percent])[0] }

    /// The numbers for percentages that do not fall.
    func percentiles(_ percentages: [Double]) -> [UInt64] {
        var index = -1
        var seen: UInt64 = 0
        return percentages.map { percent in
            guard count > 0 else { return 0 }
            // 99.9 % of 1,000 are 999, whatever the arithmetic of fractions says.
            let rank = max(1, UInt64((percent / 100 * Double(count) - 1e-6).rounded(.up)))
            while seen < rank, index + 1 < buckets.count {
                index += 1
                seen += buckets[index]
            }
            return min(Self.highest(of: max(0, index), precision), maximum)
        }
    }

    /// Numbers are told apart by their upper bits: all below the first step, then half as many for each doubling.
    static func index(of value: UInt64, _ precision: Precision) -> Int {
        let bits = precision.rawValue
        let shift = max(0, UInt64.bitWidth - value.leadingZeroBitCount - bits)
        return shift << (bits - 1) + Int(value >> UInt64(shift))
    }

    /// The largest number of a bucket.
    static func highest(of index: Int, _ precision: Precision) -> UInt64 {
        let bits = precision.rawValue
        guard index >= 1 << bits else { return UInt64(index) }
        let shift = index >> (bits - 1) - 1
        return UInt64(index - shift << (bits - 1) + 1) << UInt64(shift) - 1
    }
}

extension Histogram: Codable {
    private enum CodingKeys: String, CodingKey {
        case precision, minimum, maximum, sum, buckets
    }

    /// Pairs of a bucket and its count, those with nothing in them left out.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(precision, forKey: .precision)
        try container.encode(minimum, forKey: .minimum)
        try container.encode(maximum, forKey: .maximum)
        try container.encode(sum, forKey: .sum)
        let pairs = buckets.enumerated().filter { $0.element > 0 }.map { [UInt64($0.offset), $0.element] }
        try container.encode(pairs, forKey: .buckets)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        precision = try container.decode(Precision.self, forKey: .precision)
        minimum = try container.decode(UInt64.self, forKey: .minimum)
        maximum = try container.decode(UInt64.self, forKey: .maximum)
        sum = try container.decode(Double.self, forKey: .sum)
        let last = Self.index(of: Self.limit, precision)
        guard minimum <= maximum, maximum <= Self.limit, sum >= 0, sum.isFinite else {
            throw DecodingError.dataCorruptedError(
                forKey: .maximum, in: container, debugDescription: "limits that cannot be")
        }
        for pair in try container.decode([[UInt64]].self, forKey: .buckets) {
            guard pair.count == 2, pair[0] <= last, pair[1] <= RunResult.countLimit, count <= RunResult.countLimit
            else {
                throw DecodingError.dataCorruptedError(
                    forKey: .buckets, in: container, debugDescription: "a bucket that cannot be")
            }
            let index = Int(pair[0])
            if index >= buckets.count {
                buckets.append(contentsOf: repeatElement(0, count: index + 1 - buckets.count))
            }
            buckets[index] += pair[1]
            count += pair[1]
        }
    }
}
