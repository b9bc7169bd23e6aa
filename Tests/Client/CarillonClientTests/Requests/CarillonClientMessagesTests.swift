import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let phone = DeviceReference.id(DeviceID(rawValue: 7))
private let message = MessageID(rawValue: 42)

/// The calls about messages that were sent: their status, outcomes, listings and traces, updates and resends.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientMessagesTests {
    @Test func `outcomes are listed beyond an empty page`() async throws {
        let id = MessageID(rawValue: 5)
        let rows = [1, 2, 8].map { RecipientOutcome(device: DeviceID(rawValue: $0), outcome: .delivered) }
        let pages = [
            RecipientOutcomePage(next: 4, recipients: Array(rows[..<2])),
            RecipientOutcomePage(next: 9, recipients: []),
            RecipientOutcomePage(next: 0, recipients: [rows[2]]),
        ]
        let (made, listed) = try await listing(pages.map { AnyAnswer($0, to: MessageOutcomesRequest.self) }) {
            $0.outcomes(of: id, app: app)
        }
        #expect(listed == rows)
        #expect(
            made == [0, 4, 9].map { AnyRequest(MessageOutcomesRequest(app: app, id: id, cursor: $0, limit: 1_000)) })
    }

    @Test func `waiting for a message asks until it is finished`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let status = client.waitUntilFinished(MessageID(rawValue: 1), app: app)
        let peer = try await server.accept()
        var sending = MessageStatus.finished(total: 3)
        sending.state = .sending
        peer.answer(try await peer.request().id, sending, to: MessageStatusRequest.self)
        peer.answer(try await peer.request().id, MessageStatus.finished(total: 3), to: MessageStatusRequest.self)
        #expect(try await status.state == .finished)
    }

    @Test func `messages are listed page by page`() async throws {
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
    @Test func `filtered messages are listed beyond an empty page`() async throws {
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

    @Test func `a message is traced`() async throws {
        var sent = MessageTrace(
            device: DeviceID(rawValue: 7), state: .sending, addressing: .recipient, outcome: .pending)
        sent.sources = [.topic(TopicName("level5")!, through: GroupName("user/42"))]
        sent.language = ""
        sent.attempts = [
            TraceAttempt(endedAt: Timestamp(milliseconds: 5), connectionNumber: 3, status: 503, reason: "Shutdown")
        ]
        sent.nextAttemptAt = Timestamp(milliseconds: 9)
        let trace = sent
        let made = try await requests([AnyAnswer(trace, to: TraceRequest.self)]) { client in
            let traced = try await client.trace(message, device: phone, app: app)
            #expect(traced == trace)
        }
        #expect(made == [AnyRequest(TraceRequest(app: app, id: message, device: phone))])
    }

    @Test(arguments: [.cancel, .pause, .resume, .pace(500), .pace(nil)] as [MessageUpdate])
    func `a message update is one request and returns the state`(_ messageUpdate: MessageUpdate) async throws {
        let made = try await requests([AnyAnswer(MessageState.paused, to: UpdateMessageRequest.self)]) { client in
            let state = try await client.updateMessage(message, app: app, with: messageUpdate)
            #expect(state == .paused)
        }
        #expect(made == [AnyRequest(UpdateMessageRequest(app: app, id: message, messageUpdate: messageUpdate))])
    }

    @Test func `a resend that was lost is repeated with its key`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let accepted = client.resend(message, app: app, to: [.gaveUp], notAfter: Timestamp(milliseconds: 9))
        let first = try await server.accept()
        let resend = try await first.request(ResendRequest.self).request
        #expect(resend.idempotencyKey != nil)
        #expect(resend.outcomes == [.gaveUp])
        #expect(resend.notAfter == Timestamp(milliseconds: 9))
        first.close()
        let second = try await server.accept()
        let (id, request) = try await second.request()
        #expect(request == AnyRequest(resend))
        second.answer(
            id, SendResult(id: MessageID(rawValue: 43), isDuplicate: true, total: 2, ended: 0), to: ResendRequest.self)
        #expect(try await accepted.id == MessageID(rawValue: 43))
    }
}
