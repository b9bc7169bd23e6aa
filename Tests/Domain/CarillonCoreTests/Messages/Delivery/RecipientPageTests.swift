import CarillonCore
import Testing

struct RecipientPageTests {
    @Test func `each recipient has its own token`() {
        let tokens: [[UInt8]] = [[1, 2, 3], [], Array(repeating: 9, count: DeviceToken.maximumBytes), [7]]
        var builder = RecipientPage.Builder(capacity: tokens.count)
        for (index, token) in tokens.enumerated() {
            builder.append(
                RecipientPage.Recipient(
                    position: UInt16(index * 10), device: DeviceID(rawValue: UInt64(index)),
                    environment: .sandbox),
                token: token)
        }
        let page = builder.page(3, of: MessageID(rawValue: 8))
        #expect(page.number == 3)
        #expect(page.message.rawValue == 8)
        #expect(page.recipients.map(\.position) == [0, 10, 20, 30])
        #expect(tokens.indices.map { page.withToken(at: $0) { Array($0) } } == tokens)
    }
}
