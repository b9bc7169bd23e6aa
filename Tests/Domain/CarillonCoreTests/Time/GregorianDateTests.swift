import CarillonCore
import Testing

/// Days as numbers and as dates, in both directions.
struct GregorianDateTests {
    @Test(arguments: [
        (0, GregorianDate(year: 1970, month: 1, day: 1)), (58, GregorianDate(year: 1970, month: 2, day: 28)),
        (59, GregorianDate(year: 1970, month: 3, day: 1)), (10_956, GregorianDate(year: 1999, month: 12, day: 31)),
        (11_016, GregorianDate(year: 2000, month: 2, day: 29)), (47_540, GregorianDate(year: 2100, month: 2, day: 28)),
        (47_541, GregorianDate(year: 2100, month: 3, day: 1)),
        (2_932_896, GregorianDate(year: 9999, month: 12, day: 31)),
    ])
    func `a date is a number of days since 1970`(_ days: Int, _ date: GregorianDate) {
        #expect(date.daysSince1970 == days)
        #expect(GregorianDate(of: Timestamp(milliseconds: UInt64(days) * 86_400_000)) == date)
        #expect(GregorianDate(of: Timestamp(milliseconds: UInt64(days) * 86_400_000 + 86_399_999)) == date)
    }

    @Test func `the day before 1970 is negative`() {
        #expect(GregorianDate(year: 1969, month: 12, day: 31).daysSince1970 == -1)
    }

    @Test func `the greatest time has a date`() {
        let date = GregorianDate(of: Timestamp(milliseconds: .max))
        #expect(date.daysSince1970 == Int(UInt64.max / 86_400_000))
    }

    @Test func `every day of four centuries follows the day before`() {
        var dates: [GregorianDate] = []
        for year in 1970..<2370 {
            for month in 1...12 {
                for day in 1...GregorianDate.dayCount(ofMonth: month, year: year) {
                    dates.append(GregorianDate(year: year, month: month, day: day))
                }
            }
        }
        #expect(dates.count == 146_097)
        let dateOfOtherDay = dates.enumerated().first { $0.element.daysSince1970 != $0.offset }?.element
        #expect(dateOfOtherDay == nil)
        let dayOfOtherDate = dates.enumerated().first { day, date in
            GregorianDate(of: Timestamp(milliseconds: UInt64(day) * 86_400_000)) != date
        }
        #expect(dayOfOtherDate?.offset == nil)
    }
}
