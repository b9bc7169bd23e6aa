import CarillonCore
import Testing

struct UUIDBytesTests {
    @Test(arguments: [
        "01234567-89ab-cdef-fedc-ba9876543210", "0123456789abcdeffedcba9876543210",
        "01234567-89AB-CDEF-FEDC-BA9876543210",
    ])
    func `sixteen bytes are read with or without hyphens`(_ text: String) throws {
        let id = try #require(UUIDBytes(text))
        #expect(id == UUIDBytes(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210))
        #expect(id.description == "01234567-89ab-cdef-fedc-ba9876543210")
        #expect(Hex.string(id.bytes) == "0123456789abcdeffedcba9876543210")
    }

    @Test(arguments: [
        "", "-", "0123456789abcdeffedcba987654321", "0123456789abcdeffedcba98765432100",
        "0123456789abcdeffedcba987654321g", "0-1-2-3-456789abcdeffedcba9876543210",
        "01234567-89ab-cdef-fedc-ba9876543210-", "{0123456789abcdeffedcba9876543210}",
    ])
    func `a text that is not sixteen bytes is refused`(_ text: String) {
        #expect(UUIDBytes(text) == nil)
    }

    @Test func `a random UUID is of version 4`() {
        let ids = (0..<100).map { _ in UUIDBytes.random() }
        #expect(Set(ids.map { $0.high >> 12 & 0xF }) == [4])
        // The variant of RFC 9562.
        #expect(Set(ids.map { $0.low >> 62 }) == [0b10])
        #expect(Set(ids).count == 100)
    }
}
