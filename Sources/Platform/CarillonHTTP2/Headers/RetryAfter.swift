import CarillonCore

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

/// The dates of HTTP in each of their three forms (RFC 9110, section 5.6.7). The name of the day is not checked.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }

    /// Returns the seconds since 1970; nil if the text is not a date since then.
    static func seconds(of text: [UInt8]) -> UInt64? {
        let parts = text.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-") }
        let place: (day: Int, month: Int, year: Int, time: Int)
        switch parts.count {
        // Sun Nov  6 08:49:37 1994
        case 5: place = (day: 2, month: 1, year: 4, time: 3)
        // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT
        case 6 where parts[5].elementsEqual("GMT".utf8): place = (day: 1, month: 2, year: 3, time: 4)
        default: return nil
        }
        guard let day = number(parts[place.day], in: 1...31),
            let month = months.firstIndex(where: { parts[place.month].elementsEqual($0) }),
            let year = number(parts[place.year], in: 0...9_999),
            let time = secondsOfDay(parts[place.time])
        else { return nil }
        let isShort = parts[place.year].count == 2
        let date = GregorianDate(year: isShort ? 2_000 + year : year, month: month + 1, day: day)
        return date.year >= 1_970 ? UInt64(date.daysSince1970 * 86_400 + time) : nil
    }

    private static func number(_ digits: ArraySlice<UInt8>, in range: ClosedRange<Int>) -> Int? {
        let number = digits.withUnsafeBytes { decimalNumber($0) }.map { Int($0) }
        return number.flatMap { range.contains($0) ? $0 : nil }
    }

    private static func secondsOfDay(_ text: ArraySlice<UInt8>) -> Int? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        // A minute with a leap second has 61.
        guard parts.count == 3, let hour = number(parts[0], in: 0...23), let minute = number(parts[1], in: 0...59),
            let second = number(parts[2], in: 0...60)
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }
}
