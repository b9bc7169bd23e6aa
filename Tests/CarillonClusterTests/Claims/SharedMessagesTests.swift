import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonCluster

/// The messages whose pages a node may claim, as it has heard of them.
struct SharedMessagesTests {
    private var messages = SharedMessages()

    private static func entry(_ id: UInt64, sparsity: UInt32? = nil) -> OutboxEntry {
        let content = MessageContent(app: TestApps.game, pushType: .alert, payload: Array("{}".utf8))
        return OutboxEntry(
            id: MessageID(rawValue: id), content: content, sendableSince: Timestamp(milliseconds: 1), notAfter: nil,
            lane: .bulk, share: sparsity.map { PageShare(pages: 100, sparsity: $0) })
    }

    @Test mutating func aMessageIsKnownWhilePagesAreLeft() {
        messages.set(Self.entry(2), left: 7)
        messages.set(Self.entry(1), left: 3)
        #expect(messages.all.map(\.outboxEntry.id.rawValue) == [1, 2])
        messages.set(Self.entry(1), left: 0)
        messages.remove(MessageID(rawValue: 3))
        #expect(messages.all.map(\.left) == [7])
        messages.removeAll()
        #expect(messages.isEmpty)
    }

    @Test mutating func aSparseAudienceIsCountedInFullPages() {
        messages.set(Self.entry(1, sparsity: 10), left: 35)
        // Another member's claim does not say how sparse it is.
        messages.set(Self.entry(1), left: 25)
        let message = messages.all[0]
        #expect(message.sparsity == 10)
        #expect(message.full(message.left) == 3)
        #expect(message.full(20) == 2)
    }

    @Test mutating func theMessagesThatOthersShareAreBounded() {
        let limit = UInt64(SharedMessages.maximumMessages)
        for id in 1...limit + 1 { messages.set(Self.entry(id), left: 1) }
        #expect(messages.all.count == Int(limit))
        messages.set(Self.entry(limit + 2), left: 1, isOwn: true)
        #expect(messages[MessageID(rawValue: limit + 2)] != nil)
    }

    @Test mutating func aCancelledMessageIsKnownAsSuch() {
        messages.set(Self.entry(1, sparsity: 2), left: 5)
        var cancelled = Self.entry(1)
        cancelled.isCancelled = true
        messages.update(cancelled)
        #expect(messages.all.map(\.outboxEntry.isCancelled) == [true])
        #expect(messages.all[0].left == 5)
        messages.update(Self.entry(9))
        #expect(messages.all.count == 1)
    }
}
