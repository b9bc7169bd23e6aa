import CarillonCommandLine
import CarillonCore
import Testing

@testable import carillon

/// The status of a message, as a table and as JSON.
struct MessageStatusOutputTests {
    private let id = MessageID(rawValue: 42)
    private let finished = MessageStatus(
        state: .finished,
        acceptedAt: Timestamp(milliseconds: 1_000),
        finishedAt: Timestamp(milliseconds: 2_500),
        total: 3,
        outcomes: [.delivered: 2, .badToken: 1]
    )

    @Test func `a finished message is shown as a table`() {
        #expect(
            finished.table(id, at: Timestamp(milliseconds: 4_500)) == """
                message    42  finished
                accepted   3.5 s ago
                finished   2.0 s ago, after 1.5 s
                devices    3
                delivered  2
                bad-token  1
                """
        )
    }

    @Test func `a finished message is written as JSON`() {
        #expect(
            finished.json(id).line
                == #"{"message_id":42,"state":"finished","accepted_at_ms":1000,"finished_at_ms":2500,"#
                + #""total":3,"outcomes":{"delivered":2,"bad-token":1}}"#
        )
    }

    private let running: MessageStatus = {
        var status = MessageStatus(
            state: .sending, acceptedAt: Timestamp(milliseconds: 1_000), finishedAt: .zero, total: 20_000,
            outcomes: [.delivered: 14_000, .muted: 1_000, .pending: 5_000])
        status.pace = 600
        status.rate = 500
        status.received = 3
        status.audience = "'level5' in topics"
        return status
    }()

    @Test func `a message on its way is shown as a table`() {
        #expect(
            running.table(id, at: Timestamp(milliseconds: 3_000)) == """
                message    42  sending
                accepted   2.0 s ago
                audience   'level5' in topics
                pace       600 a second at most
                rate       500 a second, 10 s left
                devices    20,000
                pending    5,000
                delivered  14,000
                muted      1,000
                received   3
                """
        )
    }

    @Test func `a message on its way is written as JSON`() {
        #expect(
            running.json(id).line
                == #"{"message_id":42,"state":"sending","accepted_at_ms":1000,"audience":"'level5' in topics","#
                + #""pace":600,"rate":500,"remaining_ms":10000,"total":20000,"received":3,"#
                + #""outcomes":{"pending":5000,"delivered":14000,"muted":1000}}"#)
    }

    private let expired = DeliveryObstacle(
        kind: .unreachable, credential: "main", environment: .production, since: Timestamp(milliseconds: 1_000),
        nextAttemptAt: Timestamp(milliseconds: 9_000), cause: .certificateExpired, reason: "it has expired")

    @Test func `a message that waits for a pool names each obstacle`() {
        var waiting = running
        waiting.obstacles = [
            expired, DeliveryObstacle(kind: .credentialRefused, credential: "main", environment: .sandbox),
        ]
        let lines = waiting.table(MessageID(rawValue: 42), at: Timestamp(milliseconds: 3_000)).split(separator: "\n")
        let told = lines.filter { $0.hasPrefix("waits for") }.map { String($0) }
        let hint = "(is the clock of the server right?)"
        #expect(
            told == [
                "waits for  main production, cannot connect: it has expired \(hint), since 2.0 s, next attempt in 6.0 "
                    + "s",
                "waits for  main sandbox, the credential is refused",
            ])
        #expect(
            waiting.json(MessageID(rawValue: 42)).line.contains(
                #""obstacles":[{"kind":"unreachable","credential":"main","environment":"production","since_ms":1000,"#
                    + #""next_attempt_ms":9000,"cause":"certificate-expired","reason":"it has expired"},"#
                    + #"{"kind":"credential-refused","credential":"main","environment":"sandbox"}],"outcomes""#))
    }

    @Test func `the bar shows the progress and fits its width`() {
        let text = " 75 %  15,000 of 20,000  delivered 14,000  muted 1,000  500/s  10 s left"
        #expect(
            MessageWatch.bar(running, width: text.count + 10) == "██████░░"
                + text.replacing(" 75", with: "  75", maxReplacements: 1))
        #expect(MessageWatch.bar(running, width: 20) == String(text.prefix(19)))
        var paused = running
        paused.state = .paused
        paused.total = 0
        paused.outcomes = [:]
        #expect(MessageWatch.bar(paused, width: 30).contains("  0 %  paused  0 of 0"))
    }

    @Test func `a status shows label and sender`() {
        var status = running
        status.label = "Raid at 21:00"
        status.sender = "live-ops"
        #expect(
            status.table(MessageID(rawValue: 42), at: Timestamp(milliseconds: 3_000)).hasPrefix(
                """
                message    42  sending
                label      Raid at 21:00
                sender     live-ops
                accepted   2.0 s ago

                """))
        #expect(
            status.json(MessageID(rawValue: 42)).line.hasPrefix(
                #"{"message_id":42,"state":"sending","label":"Raid at 21:00","sender":"live-ops","#))
    }

    @Test func `a message has missed if it has no recipient or did not reach all`() {
        var status = MessageStatus(
            state: .finished, acceptedAt: .zero, finishedAt: .zero, total: 0, outcomes: [:])
        #expect(status.hasMissed)
        status.total = 1
        status.outcomes = [.delivered: 1]
        #expect(!status.hasMissed)
        status.outcomes = [.muted: 1]
        #expect(status.hasMissed)
    }
}
