/// The value of a field `retry-after` (RFC 9110, section 10.2.3).
package enum RetryAfter: Hashable, Sendable {
    /// A number of seconds after the answer.
    case seconds(UInt32)
    /// A time, in seconds since 1970.
    case date(UInt64)

    /// The longest value that is read, in bytes; the longest form of a date has 33.
    private static let maximumBytes = 40
    /// The largest distance of a date, in seconds: fifty years. A date that is further ahead counts as past, because
    /// the century of a year with two digits is not known (RFC 9110, section 5.6.7).
    private static let maximumFutureSeconds: UInt64 = 50 * 31_557_600

    /// Reads a value; nil if it is neither a number of at most nine digits nor a date.
    package init?(_ text: UnsafeRawBufferPointer) {
        if let seconds = decimalNumber(text) {
            self = .seconds(seconds)
        } else if text.count <= Self.maximumBytes, let date = HTTPDate.seconds(of: Array(text)) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// Returns the milliseconds to wait; 0 if the time has passed.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func milliseconds(atWallMilliseconds now: UInt64) -> UInt64 {
        switch self {
        case .seconds(let seconds): return UInt64(seconds) * 1_000
        case .date(let date):
            let (milliseconds, overflow) = date.multipliedReportingOverflow(by: 1_000)
            guard !overflow, milliseconds > now, milliseconds - now <= Self.maximumFutureSeconds * 1_000 else {
                return 0
            }
            return milliseconds - now
        }
    }
}

/// Returns the decimal number that a header value consists of; nil if the value is no number, or has more than nine
/// digits.
func decimalNumber(_ digits: UnsafeRawBufferPointer) -> UInt32? {
    guard (1...9).contains(digits.count) else { return nil }
    var number: UInt32 = 0
    for byte in digits {
        let digit = byte &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        number = number * 10 + UInt32(digit)
    }
    return number
}
