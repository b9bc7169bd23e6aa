import CarillonCore
import CarillonProvider
import Testing

/// The refusals of provider tokens: one that has expired is ordinary, several in a row mean a wrong clock.
struct ProviderTokenRefusalsTests {
    @Test func `the second refusal in a row is a warning and then one in ten minutes`() {
        var refusals = ProviderTokenRefusals()
        let warned = ([0, 1_000, 2_000, 600_999, 601_000] as [Uptime]).filter { refusals.providerTokenRefused(at: $0) }
        #expect(warned == [1_000, 601_000])
        #expect(refusals.count == 5)
    }

    @Test func `an accepted token restarts the count`() {
        var refusals = ProviderTokenRefusals()
        for hour: UInt64 in 1...50 {
            #expect(refusals.providerTokenRefused(at: Uptime(milliseconds: hour * 3_600_000)) == false)
            refusals.providerTokenAccepted()
        }
        #expect(refusals.count == 0)
    }
}
