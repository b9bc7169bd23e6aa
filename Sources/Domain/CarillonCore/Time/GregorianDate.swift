/// A day of the Gregorian calendar, in UTC.
///
/// Both conversions count in years that begin in March, so that a leap day is the last day of its year.
package struct GregorianDate: Equatable, Sendable {
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day of the month, from 1.
    package let day: Int

    /// The days from 1 March of the year 0 to 1970-01-01.
    private static let daysBefore1970 = 719_468

    /// Makes a date of the year 1 or later. A day that the month does not have counts on into the next month.
    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Makes the date on which a time is.
    package init(of time: Timestamp) {
        let days = Int(time.milliseconds / Milliseconds.perDay) + Self.daysBefore1970
        // The calendar repeats itself after an era of 400 years.
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        year = era * 400 + yearOfEra + (monthFromMarch > 9 ? 1 : 0)
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    }

    /// The days from 1970-01-01 to the date; negative for an earlier date.
    package var daysSince1970: Int {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - Self.daysBefore1970
    }

    /// Returns the number of days of a month.
    package static func dayCount(ofMonth month: Int, year: Int) -> Int {
        let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [4, 6, 9, 11].contains(month) ? 30 : month == 2 ? (isLeapYear ? 29 : 28) : 31
    }
}
