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
    func aDateIsANumberOfDaysSince1970(_ days: Int, _ date: GregorianDate) {
        #expect(date.daysSince1970 == days)
        #expect(GregorianDate(of: Timestamp(milliseconds: UInt64(days) * 86_400_000)) == date)
        #expect(GregorianDate(of: Timestamp(milliseconds: UInt64(days) * 86_400_000 + 86_399_999)) == date)
    }

    @Test func theDayBefore1970IsNegative() {
        #expect(GregorianDate(year: 1969, month: 12, day: 31).daysSince1970 == -1)
    }

    @Test func theGreatestTimeHasADate() {
        let date = GregorianDate(of: Timestamp(milliseconds: .max))
        #expect(date.daysSince1970 == Int(UInt64.max / 86_400_000))
    }

    @Test func everyDayOfFourCenturiesFollowsTheDayBefore() {
        var day = 0
        for year in 1970..<2370 {
            for month in 1...12 {
                for dayOfMonth in 1...GregorianDate.dayCount(ofMonth: month, year: year) {
                    let date = GregorianDate(year: year, month: month, day: dayOfMonth)
                    guard date.daysSince1970 == day,
                        GregorianDate(of: Timestamp(milliseconds: UInt64(day) * 86_400_000)) == date
                    else {
                        Issue.record("\(date) is not day \(day)")
                        return
                    }
                    day += 1
                }
            }
        }
        #expect(day == 146_097)
    }
}
