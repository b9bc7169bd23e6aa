import CarillonCore
import Testing

@testable import CarillonClient

/// Idempotency keys that the client makes itself.
struct RandomKeysTests {
    @Test func `a thousand keys are different and of version 4`() {
        let keys = RandomKeys()
        let made = (0..<1_000).map { _ in keys.next() }

        #expect(Set(made).count == 1_000)
        #expect(made.allSatisfy { $0.high >> 12 & 0xF == 4 })
        #expect(made.allSatisfy { $0.low >> 62 == 0b10 })
    }

    @Test func `two clients make different keys`() {
        let one = RandomKeys()
        let other = RandomKeys()

        #expect(Set((0..<100).flatMap { _ in [one.next(), other.next()] }).count == 200)
    }
}
