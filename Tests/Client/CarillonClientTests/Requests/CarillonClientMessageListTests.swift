import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game

/// Listings of messages by calls.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientMessageListTests {
    @Test func messagesAreListedPageByPage() async throws {
        let rows = [9, 8, 3].map { number in
            MessageSummary(
                id: MessageID(rawValue: number), state: .sending, acceptedAt: Timestamp(milliseconds: number),
                pushType: .alert, lane: .bulk, total: 5, ended: 1)
        }
        let pages = [
            MessagesAnswer(next: 8, messages: Array(rows[..<2])), MessagesAnswer(next: 0, messages: [rows[2]]),
        ]
        let (made, listed) = try await listing(pages.map { AnyAnswer($0, to: MessagesRequest.self) }) {
            $0.messages(of: app)
        }
        #expect(listed == rows)
        #expect(made == [0, 8].map { AnyRequest(MessagesRequest(app: app, before: $0, limit: 1_000)) })
    }

    /// A page with filters can be empty although others follow.
    @Test func filteredMessagesAreListedBeyondAnEmptyPage() async throws {
        let row = MessageSummary(
            id: MessageID(rawValue: 3), state: .finished, acceptedAt: Timestamp(milliseconds: 3), pushType: .alert,
            lane: .bulk, total: 5, ended: 5, delivered: 4, failed: 1, label: "Raid at 21:00", sender: "live-ops")
        let pages = [MessagesAnswer(next: 8, messages: []), MessagesAnswer(next: 0, messages: [row])]
        let (made, listed) = try await listing(pages.map { AnyAnswer($0, to: MessagesRequest.self) }) {
            $0.messages(of: app, state: .finished, sender: "live-ops", label: "Raid")
        }
        #expect(listed == [row])
        let filter = MessageFilter(state: .finished, sender: "live-ops", labelPrefix: "Raid")
        #expect(
            made
                == [0, 8].map { AnyRequest(MessagesRequest(app: app, before: $0, limit: 1_000, filter: filter)) })
    }
}
