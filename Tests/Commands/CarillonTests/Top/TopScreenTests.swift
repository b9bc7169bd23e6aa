import CarillonCommandLine
import CarillonCore
import CarillonTestKit
import Testing

@testable import carillon

private let game = TestApps.game

/// The screen of `carillon top`, as the operator sees it.
struct TopScreenTests {
    private static let failure = Event(
        sequence: 5, at: Timestamp(milliseconds: 1_790_000_091_000), kind: .deliveryFailed, app: game,
        message: MessageID(rawValue: 9), device: DeviceID(rawValue: 501), outcome: .tokenUnregistered)

    private static let screen = TopScreen(
        statistics: SampleStatistics.now,
        rates: StatisticsRates(from: SampleStatistics.before, to: SampleStatistics.now), failures: [failure],
        serverName: "push:7474")

    @Test func `the screen shows everything at a glance`() {
        let text = Self.screen.lines(columns: 100).map(\.text).joined(separator: "\n")
        #expect(
            text == """
                carillond/1.0  up 92 s  push:7474                                               2026-09-21T14:14:52Z
                clients     3 connected  25/s  5/s refused  1 ms
                deliveries  2,403/s  2,400/s delivered  3/s failed  5,806 ended
                batches     40/s  2,000 changes/s  2.1 ms typical, 9 ms at worst  0 changes wait
                database    3 GiB of 64 GiB  12 MiB free in it  1 read  the oldest 1,200 commits ago  0 scheduled

                LANE         MESSAGES  WAITING  LATER  IN FLIGHT   LEFT
                interactive         0        0      0          0      0  17 sent and not on disk
                bulk                1    3,896      4        100  5,000

                POOL             OPEN  MORE  IN FLIGHT     OF  SENT/s  FAILED  ANSWERS
                main production     2    +1        100  2,000   2,450          200 5,800, 410 Unregistered 6
                old sandbox         0                0      0       0          CREDENTIAL REFUSED

                MESSAGE  APP               LANE  DONE      ENDED      OF  PER s   LEFT
                      9  com.example.game  bulk  ████░░░░  5,000  10,000  2,500  2.0 s

                LATEST FAILURES
                14:14:51  token-unregistered  message 9  device 501  com.example.game

                APP                 DEVICES     APNS      FCM  WEB  QUARANTINED   GROUPS  TOPICS
                com.example.game  1,000,000  600,000  400,000    0           12  800,000       7
                """)
    }

    @Test(arguments: [
        (columns: 200, rows: 60), (columns: 100, rows: 30), (columns: 80, rows: 24), (columns: 60, rows: 20),
        (columns: 40, rows: 12), (columns: 20, rows: 5), (columns: 8, rows: 2),
    ])
    func `the screen fits every terminal`(columns: Int, rows: Int) {
        let lines = Self.screen.lines(columns: columns, rows: rows)
        #expect(lines.count <= rows)
        #expect(lines.allSatisfy { $0.text.columns <= columns })
        #expect(lines[0].text.hasPrefix("carillo"))
        var screen = Self.screen
        for showsHelp in [false, true] {
            screen.view.showsHelp = showsHelp
            let page = screen.livePage(columns: columns, rows: rows)
            #expect(page.count <= rows)
            #expect(page.allSatisfy { $0.text.columns <= columns })
        }
    }

    @Test func `long lists leave room for the other parts`() {
        var screen = Self.screen
        screen.statistics.sending = Array(repeating: SampleStatistics.now.sending[0], count: 64)
        screen.failures = Array(repeating: Self.failure, count: 50)
        let lines = screen.lines(columns: 100, rows: 40).map(\.text)
        #expect(lines.count == 40)
        #expect((9...12).contains(lines.filter { $0.contains("████") }.count))
        #expect((9...12).contains(lines.filter { $0.contains("device 501") }.count))
    }

    @Test func `problems are colored`() {
        let lines = Self.screen.lines(columns: 100)
        #expect(lines.first { $0.text.hasPrefix("old sandbox") }?.style == .bad)
        #expect(lines.first { $0.text.hasPrefix("main") }?.style == .plain)
        #expect(lines.first { $0.text.hasPrefix("deliveries") }?.style == .warning)
        var screen = Self.screen
        screen.staleReason = "no fresh statistics: the server is stopping"
        screen.failureNote = "it observes no app"
        screen.statistics.database = nil
        let troubled = screen.lines(columns: 100)
        #expect(troubled[1] == TopScreen.Line(text: "no fresh statistics: the server is stopping", style: .bad))
        #expect(troubled.contains { $0.text == "database    cannot be read" })
        #expect(troubled.contains { $0.text == "failures cannot be shown: it observes no app" })
    }

    /// The screen of a server in a cluster, of whose three nodes one is live, one is silent and one is over.
    private static let screenOfCluster: TopScreen = {
        var screen = Self.screen
        var a = ServerStatistics.Node(name: "a", incarnation: 1)
        var b = ServerStatistics.Node(name: "b", incarnation: 12)
        var c = ServerStatistics.Node(name: "c", incarnation: 3)
        a.position = 900
        a.leaseMilliseconds = 3_300
        a.silentMilliseconds = 700
        b.position = 450
        b.silentMilliseconds = 6_000
        a.claims = .init(messages: 7, blocks: 2, pages: 128)
        c.isLive = false
        c.silentMilliseconds = 180_000
        screen.statistics.cluster = .init(position: 901, entries: 300, snapshot: 600, nodes: [a, b, c])
        return screen
    }()

    @Test func `nodes of a cluster are shown`() {
        let lines = Self.screenOfCluster.lines(columns: 100)
        let first = lines.firstIndex { $0.text.hasPrefix("NODE") }
        let texts = first.map { lines[$0..<($0 + 4)].map { $0.text.replacing(#/ +/#, with: " ") } }
        #expect(
            texts == [
                "NODE STATE INCARNATION POSITION LAG SILENT LEASE MESSAGES PAGES HASH VERSION ADDRESS",
                "a live 1 900 1 700 ms 3.3 s 7 128 00000000", "b silent 12 450 451 6.0 s - - - 00000000",
                "c over 3 0 901 3 min - - - 00000000",
            ])
        #expect(first.map { lines[$0 + 1].style } == .plain)
        #expect(first.map { lines[$0 + 2].style } == .warning)
    }

    @Test(arguments: [
        #""log_position":901"#, #""state":"silent""#, #""claimed_messages":7,"claimed_blocks":2,"claimed_pages":128"#,
    ])
    func `the JSON has the nodes of a cluster`(_ part: String) {
        #expect(Self.screenOfCluster.json.line.contains(part))
    }

    @Test func `a pool that cannot connect says why`() {
        var screen = Self.screen
        screen.statistics.pools[0].open = 0
        screen.statistics.pools[0].failures = 12
        screen.statistics.pools[0].lastFailure = .init(
            at: Timestamp(milliseconds: 1_790_000_089_000), reason: "Connection refused")
        let line = { screen.lines(columns: 140).first { $0.text.hasPrefix("main") } }
        #expect(line()?.text.contains("  12  Connection refused, 3.0 s ago, 200 5,800") == true)
        screen.statistics.pools[0].isUnreachable = true
        #expect(line()?.text.contains("  12  UNREACHABLE, Connection refused, 3.0 s ago") == true)
        #expect(line()?.style == .bad)
        #expect(
            screen.json.line.contains(
                #""unreachable":true,"failures":12,"last_failure":{"at_ms":1790000089000,"reason":"Connection "#
                    + #"refused"}"#
            ))
        screen.statistics.pools[0].open = 1
        screen.statistics.pools[0].isUnreachable = false
        #expect(line()?.text.contains("refused") == false, "it has connected since")
    }

    @Test func `devices of each provider need room and a server that says them`() {
        var screen = Self.screen
        func row(_ columns: Int) -> String? {
            screen.lines(columns: columns).last?.text.replacing(#/ +/#, with: " ")
        }
        #expect(row(100) == "com.example.game 1,000,000 600,000 400,000 0 12 800,000 7")
        #expect(row(99) == "com.example.game 1,000,000 12 800,000 7")
        screen.statistics.registryCounts?.apps[0].devicesByProvider = nil
        #expect(row(100) == "com.example.game 1,000,000 12 800,000 7")
        #expect(!screen.json.line.contains("devices_by_provider"))
    }

    /// WAITING counts the devices in memory, and LEFT also those that are only on disk.
    @Test func `waiting recipients are counted by their messages`() {
        var screen = Self.screen
        let left = {
            screen.lines(columns: 100).first { $0.text.hasPrefix("bulk") }?.text.dropFirst(50).drop { $0 == " " }
        }
        #expect(left() == "5,000")
        screen.statistics.database?.unfinished = 3
        #expect(left() == "5,000+  2 more messages on disk")
        screen.statistics.database?.unfinished = 1
        screen.statistics.lanes[1].messages = 70
        #expect(left() == "5,000+", "the server lists 64 messages at most")
    }

    @Test func `a wide terminal shows more columns`() throws {
        var screen = Self.screen
        screen.statistics.sending[0].ended = 1_080
        let narrow = screen.lines(columns: 80).map(\.text).joined(separator: "\n")
        #expect(narrow.contains("  ▊░░░░░░░  "))
        #expect(!narrow.contains("ACCEPTED"))
        for rate in [0, 100, 400, 800] { screen.history.add(Double(rate)) }
        let wide = screen.lines(columns: 200).map(\.text)
        let bar = try #require(wide.first { $0.contains("█████▉" + String(repeating: "░", count: 49)) })
        #expect(bar.contains("ago"))
        #expect(wide.contains("history      ▁▄█  800/s at most"))
    }

    @Test func `the key S changes the order of the messages`() {
        var screen = Self.screen
        screen.statistics.sending = [(id: 9, total: 10, ended: 8), (3, 500, 1), (5, 40, 39)].map { id, total, ended in
            .init(
                id: MessageID(rawValue: id), app: game, lane: .bulk, acceptedAt: Timestamp(milliseconds: 100 - id),
                total: total, ended: ended, inFlight: 0, rate: 0)
        }
        func shown() -> [String] {
            screen.livePage(columns: 100, rows: 60).map(\.text).filter { $0.contains("  bulk  ") }
                .map { String($0.split(separator: " ")[0]) }
        }
        #expect(shown() == ["9", "3", "5"], "as the server orders them")
        let orders = [["3", "9", "5"], ["9", "5", "3"], ["3", "5", "9"], ["9", "3", "5"]]
        for order in orders {
            screen.view.press("s")
            #expect(shown() == order, "by \(screen.view.order)")
        }
    }

    @Test func `the key P pauses the screen`() {
        var screen = Self.screen
        screen.view.press("p")
        #expect(screen.livePage(columns: 100, rows: 60).last?.text == "paused    " + screen.view.keys)
    }

    @Test func `the question mark shows the help until the next key`() {
        var screen = Self.screen
        screen.view.press("?")
        #expect(screen.livePage(columns: 100, rows: 60).first?.text == "Keys")
        screen.view.press("s")
        #expect(!screen.view.showsHelp, "a key closes the help and does nothing else")
        #expect(screen.view.order == .rate, "a key closes the help and does nothing else")
        #expect(screen.livePage(columns: 100, rows: 60).count == 60)
    }

    @Test func `the key Q ends the program`() {
        var screen = Self.screen
        screen.view.press("q")
        #expect(screen.view.hasEnded)
    }

    @Test func `counts of any size are shown`() {
        var screen = Self.screen
        screen.statistics.sending[0].total = .max
        screen.statistics.sending[0].ended = 0
        screen.statistics.sending[0].rate = 1
        var after = screen.statistics
        after.at = Timestamp(milliseconds: screen.statistics.at.milliseconds + 1)
        after.outcomes = [.delivered: .max - 1]
        screen.rates = StatisticsRates(from: screen.statistics, to: after)
        #expect(screen.lines(columns: 100).contains { $0.text.contains("1,000,000,000,000,000/s") })
    }

    @Test func `rates begin anew with each run of the server`() {
        #expect(Self.screen.rates?.requestMicroseconds == 1_000)
        #expect(Self.screen.rates?.attempts == [2_450, 0])
        let restarted = SampleStatistics.empty(at: 92, began: 91)
        #expect(StatisticsRates(from: SampleStatistics.before, to: restarted) == nil)
        #expect(StatisticsRates(from: SampleStatistics.now, to: SampleStatistics.now) == nil)
    }

    @Test func `the screen has content before the second sample`() {
        let lines = TopScreen(statistics: SampleStatistics.now).lines(columns: 100).map(\.text)
        #expect(lines[1] == "clients     3 connected  150 requests")
    }

    @Test func `the JSON has stable names`() {
        let line = Self.screen.json.line
        for part in [
            #""operation":"lookup","result":"NOT_FOUND","count":10"#, #""rates":{"seconds":2.0,"requests":25.0"#,
            #""credential":"old","environment":"sandbox","parked":true"#, #""outcomes":{"delivered":5800,"#,
            #""failures":[{"sequence":5,"#, #""reader_age_commits":1200"#,
            #""devices":1000000,"devices_by_provider":{"apns":600000,"fcm":400000,"web":0},"quarantined":12"#,
        ] { #expect(line.contains(part), "\(part)") }
    }
}
