/// A point of wall-clock time: milliseconds since 1970-01-01T00:00Z (Protocol 4.1).
public struct Timestamp: Hashable, Comparable, Sendable {
    /// The milliseconds since 1970-01-01T00:00Z.
    public var milliseconds: UInt64

    /// Makes a time from milliseconds since 1970-01-01T00:00Z.
    public init(milliseconds: UInt64) {
        self.milliseconds = milliseconds
    }

    /// The earliest time; on the wire it means "now" or "not yet".
    public static let zero = Timestamp(milliseconds: 0)

    /// Compares two times.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Returns the time `milliseconds` later; the latest possible time instead of an overflow.
    public func later(byMilliseconds milliseconds: UInt64) -> Timestamp {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? .max : sum)
    }

    /// Returns the milliseconds from `earlier` to this time; 0 if `earlier` is later.
    public func milliseconds(since earlier: Timestamp) -> UInt64 {
        milliseconds > earlier.milliseconds ? milliseconds - earlier.milliseconds : 0
    }
}
