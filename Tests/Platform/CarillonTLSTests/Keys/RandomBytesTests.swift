import CarillonTLS
import Testing

struct RandomBytesTests {
    @Test func `random bytes are as many as were asked for, and differ`() throws {
        #expect(try randomBytes(32).count == 32)
        #expect(try randomBytes(32) != randomBytes(32))
    }

    @Test func `a negative number of random bytes is refused`() {
        #expect(throws: TLSError.self) { try randomBytes(-1) }
    }
}
