import CarillonCore
import Testing

@testable import carillon

/// The warning about a token that is shorter than any of Apple.
struct TokenLengthTests {
    @Test func aShortTokenIsNamed() {
        func warning(_ count: Int) -> String? {
            DeviceAddress(
                environment: .production, kind: .device, token: DeviceToken([UInt8](repeating: 1, count: count))!
            ).lengthWarning
        }
        #expect(warning(2)?.hasPrefix("the token has 2 bytes") == true)
        #expect(warning(1)?.hasPrefix("the token has 1 byte;") == true)
        #expect(warning(32) == nil)
    }
}
