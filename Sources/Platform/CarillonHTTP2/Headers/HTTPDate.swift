/// The dates of HTTP in each of their three forms (RFC 9110, section 5.6.7). The name of the day is not checked.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }

    /// Returns the seconds since 1970; nil if the text is not a date since then.
    static func seconds(of text: [UInt8]) -> UInt64? {
        let parts = text.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-") }
        // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT; Sun Nov  6 08:49:37 1994
        let isAsctime = parts.count == 5
        guard isAsctime || parts.count == 6 && parts[5].elementsEqual("GMT".utf8) else { return nil }
        guard let day = number(parts[isAsctime ? 2 : 1], in: 1...31),
            let month = months.firstIndex(where: { parts[isAsctime ? 1 : 2].elementsEqual($0) }),
            let year = number(parts[isAsctime ? 4 : 3], in: 0...9_999),
            let time = secondsOfDay(parts[isAsctime ? 3 : 4])
        else { return nil }
        let isShort = parts[isAsctime ? 4 : 3].count == 2
        guard let days = daysSince1970(year: isShort ? 2_000 + year : year, month: month + 1, day: day) else {
            return nil
        }
        return days * 86_400 + time
    }

    private static func number(_ digits: ArraySlice<UInt8>, in range: ClosedRange<UInt64>) -> UInt64? {
        let number = digits.withUnsafeBytes { decimalNumber($0) }.map { UInt64($0) }
        return number.flatMap { range.contains($0) ? $0 : nil }
    }

    private static func secondsOfDay(_ text: ArraySlice<UInt8>) -> UInt64? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        // A minute with a leap second has 61.
        guard parts.count == 3, let hour = number(parts[0], in: 0...23), let minute = number(parts[1], in: 0...59),
            let second = number(parts[2], in: 0...60)
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    /// Returns the days from 1 January 1970 to a date of the Gregorian calendar; nil for an earlier date.
    private static func daysSince1970(year: UInt64, month: Int, day: UInt64) -> UInt64? {
        guard year >= 1970 else { return nil }
        // Years begin in March here, so that a leap day is the last of its year.
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = UInt64((month + 9) % 12)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let sinceYear0 = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear
        return sinceYear0 - 719_468
    }
}
