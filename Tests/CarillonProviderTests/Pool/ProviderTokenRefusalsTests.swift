import CarillonCore
import CarillonProvider
import Testing

/// The refusals of provider tokens: one that has expired is ordinary, several in a row mean a wrong clock.
struct TokenRefusalsTests {
    @Test func theSecondRefusalInARowIsAWarningAndThenOneInTenMinutes() {
        var refusals = TokenRefusals()
        #expect(refusals.tokenRefused(at: 0) == false)
        #expect(refusals.tokenRefused(at: 1_000) == true)
        #expect(refusals.tokenRefused(at: 2_000) == false)
        #expect(refusals.tokenRefused(at: 600_999) == false)
        #expect(refusals.tokenRefused(at: 601_000) == true)
        #expect(refusals.count == 5)
    }

    @Test func anAcceptedTokenRestartsTheCount() {
        var refusals = TokenRefusals()
        for hour: UInt64 in 1...50 {
            #expect(refusals.tokenRefused(at: Uptime(milliseconds: hour * 3_600_000)) == false)
            refusals.tokenAccepted()
        }
        #expect(refusals.count == 0)
    }
}
