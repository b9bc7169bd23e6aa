import CarillonTLS
import Testing

struct SHA256Tests {
    @Test func `SHA-256 of abc is the vector of the standard`() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(SHA256.hash(Array("abc".utf8)) == bytes(ofHex: expected))
        #expect(SHA256.hash([]).first == 0xe3)
    }

    @Test func `the comparison in constant time finds equal bytes`() {
        #expect(constantTimeEquals([1, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEquals([1, 2, 3], [1, 2, 4]))
        #expect(!constantTimeEquals([1, 2, 3], [1, 2]))
        #expect(constantTimeEquals([], []))
    }
}
