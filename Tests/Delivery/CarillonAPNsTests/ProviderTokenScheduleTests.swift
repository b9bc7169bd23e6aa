import CarillonCore
import Testing

@testable import CarillonAPNs

/// The times at which a provider token is made, and its claims.
struct ProviderTokenScheduleTests {
    private static let minute: UInt64 = 60_000

    private func moment(_ minutes: UInt64, wall: UInt64? = nil) -> Moment {
        Moment(
            wall: Timestamp(milliseconds: 1_790_000_000_000 + (wall ?? minutes) * Self.minute),
            uptime: 5_000 + minutes * Self.minute)
    }

    @Test func `a token is made once and again after fifty minutes`() {
        var schedule = ProviderTokenSchedule()
        let made = [0, 0, 49, 50, 51, 99, 100].filter { schedule.issueIfDue(at: moment($0)) }
        #expect(made == [0, 50, 100])
    }

    @Test func `a refused token is not replaced within twenty minutes`() {
        var schedule = ProviderTokenSchedule()
        #expect(schedule.issueIfDue(at: moment(0), isRefused: true) == true)
        for minute in 0...20 as ClosedRange<UInt64> {
            #expect(schedule.issueIfDue(at: moment(minute), isRefused: true) == false)
        }
        #expect(schedule.issueIfDue(at: moment(21), isRefused: true) == true)
        #expect(schedule.issueIfDue(at: moment(22), isRefused: true) == false)
    }

    @Test(arguments: [0, 300] as [UInt64])
    func `a new token is made as soon as allowed after the wall clock was set`(_ offset: UInt64) {
        // The clock is set by more than half an hour, in either direction.
        var schedule = ProviderTokenSchedule()
        #expect(schedule.issueIfDue(at: moment(0, wall: 100)) == true)
        #expect(schedule.issueIfDue(at: moment(1, wall: 101)) == false)
        #expect(schedule.issueIfDue(at: moment(20, wall: offset)) == false)
        #expect(schedule.issueIfDue(at: moment(21, wall: offset)) == true)
        #expect(schedule.issueIfDue(at: moment(22, wall: offset + 1)) == false)
    }

    @Test(arguments: [0, 300] as [UInt64])
    func `a refused token of a wrong clock is replaced once the clock is set`(_ right: UInt64) {
        var schedule = ProviderTokenSchedule()
        #expect(schedule.issueIfDue(at: moment(1, wall: 120)) == true)
        // APNs refuses it twice: no token is made while the clock stays.
        #expect(schedule.issueIfDue(at: moment(2, wall: 121), isRefused: true) == false)
        #expect(schedule.issueIfDue(at: moment(3, wall: 122), isRefused: true) == false)
        #expect(schedule.issueIfDue(at: moment(4, wall: right)) == true)
        // The other token was refused: the usual times apply again.
        #expect(schedule.issueIfDue(at: moment(5, wall: 121)) == false)
        #expect(schedule.issueIfDue(at: moment(23, wall: right + 19)) == false)
    }

    @Test func `a clock set back is seen in the first minute`() {
        var schedule = ProviderTokenSchedule()
        let start = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 1_000)
        let set = Timestamp(milliseconds: 1_789_990_000_000)
        #expect(schedule.issueIfDue(at: start) == true)
        #expect(schedule.issueIfDue(at: Moment(wall: set, uptime: 2_000), isRefused: true) == false)
        #expect(schedule.issueIfDue(at: Moment(wall: set, uptime: 10_999)) == false)
        #expect(schedule.issueIfDue(at: Moment(wall: set, uptime: 11_000)) == true)
    }

    @Test func `an uptime that goes back makes no token old`() {
        var schedule = ProviderTokenSchedule()
        #expect(schedule.issueIfDue(at: moment(60)) == true)
        #expect(schedule.issueIfDue(at: moment(0), isRefused: true) == false)
    }

    @Test func `signing input is header and claims`() {
        let claims = ProviderTokenClaims(keyID: "ABC123DEFG", teamID: "DEF123GHIJ", issuedAtSeconds: 1_437_179_036)
        let input = String(decoding: claims.signingInput, as: UTF8.self)
        #expect(
            input == "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ"
                + ".eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNDM3MTc5MDM2fQ")
        let token = ProviderTokenClaims.token(signingInput: claims.signingInput, signature: [0xFB, 0xFF, 0xFE])
        #expect(token == input + ".-__-")
    }

    @Test(arguments: [
        ("ABC123DEFG", true), ("abcdefghij", true), ("0123456789", true), ("ABC123DEF", false),
        ("ABC123DEFGH", false), ("", false), ("ABC123DEF\"", false), ("ABC123DEF-", false), ("ÄBC123DEF", false),
        ("ABC123DE\u{0}G", false),
    ])
    func `identifiers have ten letters or digits`(_ id: String, _ isGood: Bool) {
        #expect(ProviderTokenClaims.isIdentifier(id) == isGood)
    }
}
