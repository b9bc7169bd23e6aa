import CarillonTLS
import Testing

struct RandomBytesTests {
    @Test func randomBytesAreAsManyAsWereAskedForAndDiffer() throws {
        #expect(try randomBytes(32).count == 32)
        #expect(try randomBytes(32) != randomBytes(32))
    }

    @Test func aNegativeNumberOfRandomBytesIsRefused() {
        #expect(throws: TLSError.self) { try randomBytes(-1) }
    }
}
