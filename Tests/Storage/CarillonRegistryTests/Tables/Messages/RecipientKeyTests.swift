import CarillonCore
import Testing

@testable import CarillonRegistry

struct RecipientKeyTests {
    private let recipient = RecipientKey(
        message: MessageID(rawValue: 0x0102_0304_0506_0708), page: 0x090A, position: 0x0B0C)

    @Test func `a key has message, page and position in the order of rows`() throws {
        let key = recipient.withBytes { key in key.withUnsafeBytes { Array($0) } }
        #expect(key == [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 9, 10, 11, 12])
        #expect(try RecipientKey(key: key.span, of: "delays") == recipient)
    }

    @Test(arguments: [0, 13, 15]) func `a key of another length is corrupt`(_ count: Int) throws {
        let key = [UInt8](repeating: 0, count: count)
        #expect(throws: RegistryError.self) { try RecipientKey(key: key.span, of: "delays") }
    }
}
