import Histogram

/// A histogram of durations in nanoseconds: an HdrHistogram with the limits and the JSON form of this tool.
///
/// Values above `limit` count as `limit`. Its memory grows with the largest value: 280 KB at three digits and an hour.
struct LatencyHistogram: Equatable, Sendable {
    /// The precision of percentiles. The raw value, which is in the JSON, is the number of leading bits by which the
    /// buckets tell values apart: with 8 bits, 1,000 and 1,003 share a bucket of four values, 1,004 is in the next.
    enum Precision: Int, Codable, Sendable {
        /// The percentiles are right within 1 %.
        case twoDigits = 8
        /// The percentiles are right within 0.1 %.
        case threeDigits = 11
    }

    /// The largest value: 73 minutes of nanoseconds.
    static let limit: UInt64 = 1 << 42

    let precision: Precision
    private var values: Histogram<UInt64>
    /// The exact sum of the values. HdrHistogram's mean is only as precise as its buckets.
    private var sum = 0.0

    init(_ precision: Precision = .threeDigits) {
        self.precision = precision
        values = Histogram(numberOfSignificantValueDigits: precision == .twoDigits ? .two : .three)
    }

    var count: UInt64 { values.totalCount }
    /// The least value; 0 if the histogram is empty.
    var minimum: UInt64 { values.min }
    /// The greatest value; 0 if the histogram is empty.
    var maximum: UInt64 { values.maxRecorded }
    /// The mean; 0 if the histogram is empty.
    var mean: Double { count == 0 ? 0 : sum / Double(count) }

    mutating func record(_ value: UInt64, times: UInt64 = 1) {
        guard times > 0 else { return }
        let value = min(value, Self.limit)
        values.record(value, count: times)
        sum += Double(value) * Double(times)
    }

    /// Adds all values of another histogram, which must have the same precision.
    mutating func add(_ other: LatencyHistogram) {
        precondition(precision == other.precision, "histograms of two precisions")
        values.add(other.values)
        sum += other.sum
    }

    /// Returns the value that `percent` of all values do not exceed, rounded up within the precision; 0 if the
    /// histogram is empty.
    func percentile(_ percent: Double) -> UInt64 { values.valueAtPercentile(percent) }

    func percentiles(_ percentages: [Double]) -> [UInt64] { percentages.map(percentile) }
}

extension LatencyHistogram: Codable {
    private enum CodingKeys: String, CodingKey {
        case precision, minimum, maximum, sum, buckets
    }

    /// Encodes pairs of a bucket's index and its count. Empty buckets are left out.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(precision, forKey: .precision)
        try container.encode(minimum, forKey: .minimum)
        try container.encode(maximum, forKey: .maximum)
        try container.encode(sum, forKey: .sum)
        let pairs = values.recordedValues().map { [UInt64(Self.index(of: $0.value, precision)), $0.count] }
        try container.encode(pairs, forKey: .buckets)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try container.decode(Precision.self, forKey: .precision))
        let minimum = try container.decode(UInt64.self, forKey: .minimum)
        let maximum = try container.decode(UInt64.self, forKey: .maximum)
        let sum = try container.decode(Double.self, forKey: .sum)
        guard minimum <= maximum, maximum <= Self.limit, sum >= 0, sum.isFinite else {
            throw DecodingError.dataCorruptedError(
                forKey: .maximum, in: container, debugDescription: "impossible limits")
        }
        let last = Self.index(of: Self.limit, precision)
        for pair in try container.decode([[UInt64]].self, forKey: .buckets) {
            guard pair.count == 2, pair[0] <= last, pair[1] <= RunResult.maximumCount, count <= RunResult.maximumCount
            else {
                throw DecodingError.dataCorruptedError(
                    forKey: .buckets, in: container, debugDescription: "an impossible bucket")
            }
            restore(bucket: Int(pair[0]), count: pair[1], minimum: minimum, maximum: maximum)
        }
        self.sum = sum
    }

    /// Records the values of a decoded bucket: the exact minimum and maximum if they belong to it, the others as its
    /// lowest value.
    private mutating func restore(bucket: Int, count: UInt64, minimum: UInt64, maximum: UInt64) {
        var remaining = count
        for exact in Set([minimum, maximum]) where remaining > 0 && Self.index(of: exact, precision) == bucket {
            values.record(exact, count: 1)
            remaining -= 1
        }
        // A bucket's lowest value must not become the minimum.
        if remaining > 0 { values.record(max(Self.lowest(of: bucket, precision), minimum), count: remaining) }
    }

    /// Returns the index of a value's bucket in the JSON, which is also its index in HdrHistogram. Values below the
    /// first power of two have one bucket each, and each further doubling has half as many buckets.
    static func index(of value: UInt64, _ precision: Precision) -> Int {
        let bits = precision.rawValue
        let shift = max(0, UInt64.bitWidth - value.leadingZeroBitCount - bits)
        return shift << (bits - 1) + Int(value >> UInt64(shift))
    }

    /// Returns the lowest value of a bucket.
    static func lowest(of index: Int, _ precision: Precision) -> UInt64 {
        let bits = precision.rawValue
        guard index >= 1 << bits else { return UInt64(index) }
        let shift = index >> (bits - 1) - 1
        return UInt64(index - shift << (bits - 1)) << UInt64(shift)
    }
}
