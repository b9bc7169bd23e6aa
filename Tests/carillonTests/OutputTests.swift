import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Testing

@testable import carillon

/// Makes an error that a server has answered with.
private func answered(_ code: ErrorCode) -> CarillonError {
    var error = CarillonError(.server(code), message: "")
    error.attempts = 1
    return error
}

private let game = AppID("com.example.game")!

struct OutputTests {
    @Test func jsonIsOneLineInItsOrder() {
        let value = JSON.members([
            "z": .number(.max), "a": .text("tab\tquote\"back\\line\nü"), "none": nil,
            "list": .list([.bool(true), .null]),
        ])
        #expect(value.line == #"{"z":18446744073709551615,"a":"tab\tquote\"back\\line\nü","list":[true,null]}"#)
    }

    @Test(
        arguments: [
            (0, "just now"), (999, "just now"), (1_500, "1.5 s ago"), (90_000, "90 s ago"), (600_000, "10 min ago"),
            (7_200_000, "2 h ago"), (864_000_000, "10 d ago"),
        ] as [(UInt64, String)])
    func aTimeIsToldRelativeToNow(milliseconds: UInt64, text: String) {
        let now = Timestamp(milliseconds: 1_000_000_000_000)
        #expect(Timestamp(milliseconds: now.milliseconds - milliseconds).relative(to: now) == text)
    }

    @Test func theTimeOfDayIsThatOfUTC() {
        #expect(Timestamp(text: "2026-07-01T23:03:07.500+02:00")?.timeOfDay == "21:03:07")
        #expect(Timestamp(text: "2026-07-01T00:00:00Z")?.timeOfDay == "00:00:00")
    }

    @Test func aStatusIsShownAsTextAndAsJSON() {
        let status = MessageStatus(
            state: .finished,
            acceptedAt: Timestamp(milliseconds: 1_000),
            finishedAt: Timestamp(milliseconds: 2_500),
            total: 3,
            outcomes: [.delivered: 2, .badToken: 1]
        )
        let id = MessageID(rawValue: 42)
        #expect(
            status.table(id, at: Timestamp(milliseconds: 4_500)) == """
                message    42  finished
                accepted   3.5 s ago
                finished   2.0 s ago, after 1.5 s
                devices    3
                delivered  2
                bad-token  1
                """
        )
        #expect(
            status.json(id).line
                == #"{"message_id":42,"state":"finished","accepted_at_ms":1000,"finished_at_ms":2500,"#
                + #""total":3,"outcomes":{"delivered":2,"bad-token":1}}"#
        )
    }

    private let running: MessageStatus = {
        var status = MessageStatus(
            state: .sending, acceptedAt: Timestamp(milliseconds: 1_000), finishedAt: .zero, total: 20_000,
            outcomes: [.delivered: 14_000, .muted: 1_000, .pending: 5_000])
        (status.pace, status.rate) = (600, 500)
        status.received = 3
        status.audience = "'level5' in topics"
        return status
    }()

    @Test func aMessageOnItsWayIsShownAsATable() {
        #expect(
            running.table(MessageID(rawValue: 42), at: Timestamp(milliseconds: 3_000)) == """
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
        #expect(
            running.json(MessageID(rawValue: 42)).line
                == #"{"message_id":42,"state":"sending","accepted_at_ms":1000,"audience":"'level5' in topics","#
                + #""pace":600,"rate":500,"remaining_ms":10000,"total":20000,"received":3,"#
                + #""outcomes":{"pending":5000,"delivered":14000,"muted":1000}}"#)
    }

    private let expired = DeliveryObstacle(
        kind: .unreachable, credential: "main", environment: .production, since: Timestamp(milliseconds: 1_000),
        nextAttempt: Timestamp(milliseconds: 9_000), cause: .certificateExpired, reason: "it has expired")

    @Test func aMessageThatWaitsForAPoolNamesEachObstacle() {
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

    @Test func anObstacleIsToldOnce() {
        var notes = ObstacleNotes()
        let now = Timestamp(milliseconds: 3_000)
        #expect(notes.lines(for: [], at: now).isEmpty)
        #expect(notes.lines(for: [expired], at: now).map { $0.prefix(34) } == ["the message waits: main production"])
        var later = expired
        later.nextAttempt = Timestamp(milliseconds: 20_000)
        #expect(notes.lines(for: [later], at: now).isEmpty)
        later.cause = .dns
        #expect(notes.lines(for: [expired, later], at: now).count == 1)
    }

    @Test func theBarShowsTheProgressAndFitsItsWidth() {
        let text = " 75 %  15,000 of 20,000  delivered 14,000  muted 1,000  500/s  10 s left"
        #expect(
            MessageWatch.bar(running, width: text.count + 10) == "██████░░"
                + text.replacing(" 75", with: "  75", maxReplacements: 1))
        #expect(MessageWatch.bar(running, width: 20) == String(text.prefix(19)))
        var paused = running
        (paused.state, paused.total, paused.outcomes) = (.paused, 0, [:])
        #expect(MessageWatch.bar(paused, width: 30).contains("  0 %  paused  0 of 0"))
    }

    @Test func aRowOfMessagesStandsUnderItsNames() {
        let row = MessageSummary(
            id: MessageID(rawValue: 42), state: .finished, acceptedAt: Timestamp(milliseconds: 1_000), pushType: .alert,
            lane: .bulk, total: 20_000, ended: 20_000, delivered: 19_998, failed: 2, label: "Raid at 21:00",
            sender: "live-ops")
        #expect(
            [MessageSummary.head, row.line(at: Timestamp(milliseconds: 2_500))] == [
                "     message  state      accepted         devices    delivered       failed  label                    "
                    + " sender",
                "          42  finished   1.5 s ago         20,000       19,998            2  Raid at "
                    + "21:00             live-ops",
            ])
        #expect(
            row.json.line
                == #"{"message_id":42,"state":"finished","accepted_at_ms":1000,"push_type":"alert","lane":"bulk","#
                + #""total":20000,"ended":20000,"delivered":19998,"failed":2,"label":"Raid at 21:00","#
                + #""sender":"live-ops"}"#)
    }

    /// A server before 1.3 does not count the failed, so the row must not say that there are none.
    @Test func aRowOfAnOlderServerSaysNothingOfFailures() {
        let row = MessageSummary(
            id: MessageID(rawValue: 42), state: .finished, acceptedAt: Timestamp(milliseconds: 1_000), pushType: .alert,
            lane: .bulk, total: 20_000, ended: 20_000)
        #expect(
            row.line(at: Timestamp(milliseconds: 2_500))
                == "          42  finished   1.5 s ago         20,000            -            -  -                     "
                + "    -"
        )
        #expect(!row.json.line.contains("failed"))
    }

    @Test func aStatusShowsLabelAndSender() {
        var status = running
        (status.label, status.sender) = ("Raid at 21:00", "live-ops")
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

    @Test func outcomesAreShownAsCSV() {
        let rows = [
            RecipientOutcome(device: DeviceID(rawValue: 7), outcome: .muted), .init(device: nil, outcome: .left),
        ]
        #expect(rows.map(\.csv) == ["7,muted", ",left"])
    }

    @Test func eventsAreShownAsTextAndAsJSON() {
        let event = Event(
            sequence: 12, at: Timestamp(milliseconds: 1_782_907_200_500), kind: .deliveryFailed,
            app: game, message: MessageID(rawValue: 42), device: DeviceID(rawValue: 7), outcome: .badToken)
        let news: [EventStreamElement] = [.event(event), .gap(3..<9)]
        #expect(
            news.map(\.line) == [
                "12  2026-07-01T12:00:00Z  delivery-failed  com.example.game  message 42  device 7  bad-token",
                "8  gap  events 3 to 8 are no longer stored",
            ])
        #expect(
            news.map(\.json.line) == [
                #"{"sequence":12,"at_ms":1782907200500,"kind":"delivery-failed","app":"com.example.game","#
                    + #""message_id":42,"device_id":7,"outcome":"bad-token"}"#,
                #"{"kind":"gap","missed_from":3,"missed_to":9}"#,
            ])
    }

    @Test func aFileOfReceiptsNamesOneDeviceALine() throws {
        let good = LineReader.Piece(firstLine: 1, bytes: Array("7\n\n 8\r\n".utf8), end: 7)
        #expect(
            try ReceiptOptions.devices(of: good) == [.id(DeviceID(rawValue: 7)), .id(DeviceID(rawValue: 8))])
        let bad = LineReader.Piece(firstLine: 5, bytes: Array("7\nx".utf8), end: 3)
        let error = #expect(throws: ValidationError.self) { try ReceiptOptions.devices(of: bad) }
        #expect(error?.message == "Line 6 is not a device id: 'x'.")
    }

    @Test(arguments: [
        (CarillonError(.server(.notFound), message: ""), CarillonCommandLine.ExitStatus.refused),
        (CarillonError(.server(.forbidden), message: ""), .refused),
        (CarillonError(.server(.authenticationFailed), message: ""), .refused),
        (answered(.invalidArgument), .refused),
        (CarillonError(.invalidArgument, message: ""), .usage),
        (CarillonError(.server(.rateLimited), message: ""), .refused),
        (CarillonError(.server(.storageFull), message: ""), .refused),
        (CarillonError(.server(ErrorCode(rawValue: 999)), message: ""), .refused),
        (CarillonError(.server(.draining), message: ""), .unreachable),
        (CarillonError(.server(.deadline), message: ""), .unreachable),
        (CarillonError(.server(.timeout), message: ""), .unreachable),
        (CarillonError(.server(.tooManyConnections), message: ""), .unreachable),
        (CarillonError(.noAnswer, message: ""), .unreachable),
        (CarillonError(.cannotConnect, message: ""), .unreachable),
        (CarillonError(.connectionLost, message: ""), .unreachable),
        (CarillonError(.untrusted, message: ""), .unreachable),
    ])
    func eachErrorHasItsExitStatus(error: CarillonError, status: CarillonCommandLine.ExitStatus) {
        #expect(CarillonCommandLine.ExitStatus(error) == status)
    }

    @Test func everyExitStatusIsExplained() {
        let lines = CarillonCommandLine.ExitStatus.explanation.split(separator: "\n").map(String.init)
        let explained = lines.compactMap { line in Int32(line.prefix(3).filter(\.isNumber)) }
        // Only carillon-dump reports corrupt data.
        #expect(explained == CarillonCommandLine.ExitStatus.allCases.filter { $0 != .damaged }.map(\.rawValue))
        #expect(Carillon.helpMessage().contains(lines[1]))
    }

    @Test(arguments: [
        (CarillonError.Code.server(.forbidden), "carillon ping"), (.server(.authenticationFailed), "--api-key-file"),
        (.server(.unsupportedOpcode), "older"), (.server(.rateLimited), "go slower"),
        (.server(.overloaded), "carillon top"), (.server(.storageFull), "data.limitMebibytes"),
        (.server(.storageFailed), "log"), (.server(.draining), "try again"),
        (.server(.tooManyConnections), "limits.connections"), (.server(.stale), "later"),
        (.server(.idempotencyConflict), "--key"), (.cannotConnect, "--server"), (.cannotConnect, "--ca"),
        (.untrusted, "--ca"),
    ])
    func aHintNamesWhatToChange(code: CarillonError.Code, word: String) throws {
        #expect(try #require(CarillonError(code, message: "").advice).contains(word))
    }

    @Test func membershipsAreShownWithTheirSources() throws {
        let (level, guild) = (TopicName("level5")!, TopicName("guild/77")!)
        let (user, role) = (GroupName("user/42")!, GroupName("role/9001")!)
        let page = Memberships(
            device: DeviceID(rawValue: 17),
            isMuted: false,
            groups: [.init(group: role, isMuted: true), .init(group: user, isMuted: false)],
            topics: [
                .init(topic: guild, source: nil), .init(topic: guild, source: user), .init(topic: level, source: role),
            ],
            next: nil
        )
        #expect(
            page.table == """
                device  17
                groups  role/9001 (muted), user/42
                topics  2
                  guild/77  subscribed by itself, user/42
                  level5    subscribed by role/9001
                """
        )
        #expect(
            page.json.line
                == #"{"device_id":17,"muted":false,"groups":[{"group":"role/9001","muted":true},"#
                + #"{"group":"user/42","muted":false}],"topics":[{"topic":"guild/77","sources":["","user/42"]},"#
                + #"{"topic":"level5","sources":["role/9001"]}]}"#
        )
    }

    @Test func anExplanationIsATable() {
        let explanation = Explanation(
            condition: "'a' in topics && !all",
            devices: 1_234,
            terms: [.init(set: "'a' in topics", devices: 20_000), .init(set: "all", devices: 1_000_000)]
        )
        #expect(
            explanation.table == """
                     1,234  'a' in topics && !all
                    20,000    'a' in topics
                 1,000,000    all
                """
        )
    }

    @Test func tablesAreBrokenBetweenWords() {
        #expect(
            Terminal.table([("groups", "user/1, user/2, user/3, user/4"), ("x", "y")], columns: 31) == """
                groups  user/1, user/2, user/3,
                        user/4
                x       y
                """
        )
        let token = String(repeating: "0", count: 64)
        #expect(Terminal.table([("token", token)], columns: 30) == "token  \(token)")
    }

    @Test(arguments: [
        ("'a' in topcs", 8, "  'a' in topcs\n         ^"), ("", 1, "  \n  ^"),
        ("'ä' in\ntopcs", 9, "  'ä' in topcs\n         ^"),
    ])
    func aCaretStandsUnderTheColumn(text: String, column: Int, shown: String) {
        #expect(Condition.mark(text, column) == shown)
    }

    @Test func ofALongConditionThePlaceIsShown() {
        let text =
            String(repeating: "('a' in topics) || ", count: 30) + "'b' on topics || "
            + String(repeating: "x", count: 99)
        let lines = Condition.mark(text, 575).split(separator: "\n")
        #expect(lines.map(\.count) == [2 + 50 + 26, 2 + 50 + 1])
        #expect(lines[0].dropFirst(52).hasPrefix("on topics"))
    }
}
