import CarillonCore
import Testing

@testable import carillon

/// The argument of `--expiration`.
struct ExpirationArgumentTests {
    @Test func `an expiration is a word or a time from now`() {
        let now = Timestamp(milliseconds: 1_000_500)
        #expect(ExpirationArgument(argument: "never-set")?.expiration(at: now) == .unspecified)
        #expect(ExpirationArgument(argument: "0")?.expiration(at: now) == .once)
        #expect(ExpirationArgument(argument: "60")?.expiration(at: now) == .at(seconds: 1_060))
        #expect(ExpirationArgument(argument: "1ms") == nil)
    }
}
