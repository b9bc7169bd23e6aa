import CarillonCore
import Testing

struct UnsafeRawBufferPointerEqualityTests {
    @Test(arguments: 0...20)
    func `two buffers are equal only if each byte is`(count: Int) {
        let bytes = (0..<count).map { UInt8($0) }
        func isEqual(_ others: [UInt8]) -> Bool {
            bytes.withUnsafeBytes { bytes in others.withUnsafeBytes { bytes.isEqual(to: $0) } }
        }
        #expect(isEqual(bytes))
        #expect(!isEqual(bytes + [0]))
        for index in bytes.indices {
            var others = bytes
            others[index] ^= 0x80
            #expect(!isEqual(others))
        }
    }
}
