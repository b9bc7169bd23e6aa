import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonCluster

/// The messages whose pages a node may claim, as it has heard of them.
struct SharedMessagesTests {
    private var messages = SharedMessages()

    private static func message(_ id: UInt64, pagesPerFullPage: UInt32? = nil) -> OutboundMessage {
        let content = MessageContent(app: TestApps.game, pushType: .alert, payload: Array("{}".utf8))
        return OutboundMessage(
            id: MessageID(rawValue: id), content: content, sendableSince: Timestamp(milliseconds: 1), notAfter: nil,
            lane: .bulk, share: pagesPerFullPage.map { PageShare(pages: 100, pagesPerFullPage: $0) })
    }

    @Test mutating func `a message is known while pages are left`() {
        messages.note(Self.message(2), pagesLeft: 7)
        messages.note(Self.message(1), pagesLeft: 3)
        #expect(messages.all.map(\.outbound.id.rawValue) == [1, 2])
        messages.note(Self.message(1), pagesLeft: 0)
        messages.remove(MessageID(rawValue: 3))
        #expect(messages.all.map(\.pagesLeft) == [7])
        messages.removeAll()
        #expect(messages.isEmpty)
    }

    @Test mutating func `a sparse audience is counted in full pages`() {
        messages.note(Self.message(1, pagesPerFullPage: 10), pagesLeft: 35)
        // A claim of another member does not say how sparse the message is.
        messages.note(Self.message(1), pagesLeft: 25)
        let message = messages.all[0]
        #expect(message.pagesLeft == 25)
        #expect(message.fullPages(for: 25) == 3)
        #expect(message.fullPages(for: 20) == 2)
        #expect(message.pages(for: 2) == 20)
    }

    @Test mutating func `the messages that other members share are bounded`() {
        let limit = UInt64(SharedMessages.maximumMessages)
        for id in 1...limit + 1 { messages.note(Self.message(id), pagesLeft: 1) }
        #expect(messages.all.count == Int(limit))
        messages.noteOwn(Self.message(limit + 2), pagesLeft: 1)
        #expect(messages[MessageID(rawValue: limit + 2)] != nil)
    }

    @Test mutating func `a cancelled message is known as such`() {
        messages.note(Self.message(1, pagesPerFullPage: 2), pagesLeft: 5)
        var cancelled = Self.message(1)
        cancelled.isCancelled = true
        messages.replace(with: cancelled)
        #expect(messages.all.map(\.outbound.isCancelled) == [true])
        #expect(messages.all[0].pagesLeft == 5)
        messages.replace(with: Self.message(9))
        #expect(messages.all.count == 1)
    }
}
