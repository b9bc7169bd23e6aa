import CarillonCore
import Testing

@testable import CarillonDelivery

/// The work on recipients changes the page alone, and collects what it means for the engine.
struct CheckedOutPageTests {
    private static let now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 500_000)

    /// A page with three recipients that nothing has happened to in memory.
    ///
    /// - Parameter attempts: the attempts at each recipient before.
    private static func makePage(
        _ expiration: Expiration = .unspecified, isUnloading: Bool = false, pace: UInt32? = nil,
        attempts: [UInt8] = [0, 0, 0]
    ) -> CheckedOutPage {
        let content = MessageContent(
            app: EngineHarness.app, pushType: .alert, expiration: expiration, payload: Array("{}".utf8))
        let outbound = OutboundMessage(
            id: MessageID(rawValue: 1), content: content, sendableSince: now.wall, notAfter: nil, lane: .bulk,
            pace: pace)
        var properties = LoadedMessage.Properties(outbound, notAfter: nil, at: now)
        if isUnloading { properties.unload() }
        let recipients = attempts.enumerated().map { index, attempts in
            EngineHarness.Recipient(device: UInt64(index) + 1, attempts: attempts)
        }
        let loaded = LoadedPage(EngineHarness.page(recipients, of: 1), sequence: 5)
        return CheckedOutPage(PageKey(message: outbound.id, page: 0), loaded: loaded, properties: properties, at: now)
    }

    private static func routes(_ route: PoolAvailability.Route, endsWaiting: Bool = false) -> PageRoutes {
        PageRoutes(ByDestination { _ in route }, endsWaiting: ByDestination { _ in endsWaiting })
    }

    private var times = RetryTimes(policy: RetryPolicy(), seed: 1)

    @Test func `outcomes of pushes are counted`() {
        var page = Self.makePage()
        page.end(0, as: .delivered)
        page.end(1, as: .badToken)
        let effects = page.effects
        let loaded = page.loaded
        #expect(effects.unrecorded == 1)
        #expect(loaded.unwrittenCount == 2)
        #expect(!effects.hasKeptOnDisk)
        #expect(effects.timer == nil)
    }

    @Test mutating func `a retry is stored and sets a timer`() {
        var page = Self.makePage()
        let backoff = DeliveryBackoff(firstMilliseconds: 1_000, maximumMilliseconds: 1_000, maximumAttempts: 5)
        for position: UInt16 in 0...1 { page.retry(position, with: backoff, requestedMilliseconds: nil, times: &times) }
        page.retry(2, with: backoff, requestedMilliseconds: 60_000, times: &times)
        let effects = page.effects
        let loaded = page.loaded
        #expect(effects.unrecorded == 3)
        #expect(loaded.unwrittenCount == 3)
        #expect(loaded.delayedCount == 3)
        // The earliest of the three.
        #expect(effects.timer == loaded.earliestDue)
    }

    @Test mutating func `a recipient of a message that leaves stays pending`() {
        var page = Self.makePage(isUnloading: true)
        page.schedule(0, routes: Self.routes(.available), times: &times)
        page.retry(1, with: RetryPolicy().unknown, requestedMilliseconds: nil, times: &times)
        let effects = page.effects
        let loaded = page.loaded
        #expect(effects.hasKeptOnDisk)
        #expect(effects.timer == nil)
        #expect(loaded.unfinishedCount == 0)
        #expect(loaded.unwrittenCount == 1)
    }

    /// A route, and what becomes of a recipient that is to take it.
    struct RouteCase: CustomTestStringConvertible {
        let route: PoolAvailability.Route
        var endsWaiting = false
        var isReady = false
        var hasOutcome = false
        var staysPending = false

        var testDescription: String { "\(route), \(endsWaiting)" }
    }

    @Test(
        arguments: [
            RouteCase(route: .available, isReady: true),
            RouteCase(route: .missing, hasOutcome: true),
            RouteCase(route: .parked, staysPending: true),
            RouteCase(route: .unreachable, staysPending: true),
            RouteCase(route: .unreachable, endsWaiting: true, hasOutcome: true),
        ])
    mutating func `the route decides what becomes of a recipient`(_ each: RouteCase) {
        var page = Self.makePage(.once)
        page.schedule(0, routes: Self.routes(each.route, endsWaiting: each.endsWaiting), times: &times)
        let effects = page.effects
        let loaded = page.loaded
        #expect(loaded.hasReady(.apnsProduction) == each.isReady)
        #expect((loaded.unwrittenCount > 0) == each.hasOutcome)
        #expect(effects.hasKeptOnDisk == each.staysPending)
    }

    /// Returns the order in which recipients with those attempts are handed out.
    private mutating func order(of attempts: [UInt8], pace: UInt32?) -> [UInt16] {
        var page = Self.makePage(pace: pace, attempts: attempts)
        page.scheduleAll(routes: Self.routes(.available), times: &times)
        var order: [UInt16] = []
        while let position = page.loaded.takeReady(.apnsProduction) { order.append(position) }
        return order
    }

    @Test mutating func `a message with a pace goes to new recipients first`() {
        #expect(order(of: [1, 0, 0], pace: nil) == [0, 1, 2])
        #expect(order(of: [1, 0, 0], pace: 10) == [1, 2, 0])
    }

    @Test func `due recipients become ready and the others keep a timer`() {
        var page = Self.makePage()
        page.delay(0, until: 400_000)
        page.delay(1, until: 600_000)
        page.timerFired(routes: Self.routes(.available))
        let effects = page.effects
        let loaded = page.loaded
        #expect([0, 1].map { loaded.state(at: $0) } == [.ready, .delayed])
        #expect(effects.timer == 600_000)
    }

    @Test func `due recipients of an expired message end`() {
        var page = Self.makePage(.at(seconds: 1_789_999_999))
        page.delay(0, until: 400_000)
        page.timerFired(routes: Self.routes(.available))
        let loaded = page.loaded
        #expect(loaded.state(at: 0) == .ended)
    }

    @Test func `attempts that say something are recorded`() {
        let heldBack = Verdict.tryLater(.heldBack, afterMilliseconds: 1_000)
        let verdicts: [Verdict] = [
            .delivered, heldBack, .tryLater(.serverBusy, afterMilliseconds: nil), .unknown, .notProcessed,
        ]
        var recorded: [Bool] = []
        let stored = Self.makePage()
        for verdict in verdicts { recorded.append(stored.isRecorded(verdict, at: 0)) }
        #expect(recorded == [false, false, true, true, true])
        let once = Self.makePage(.once)
        let isRecorded = once.isRecorded(heldBack, at: 0)
        #expect(isRecorded, "the push may end because of it")
    }

    @Test mutating func `a push that comes back too often is retried like others`() throws {
        var page = Self.makePage()
        let first = page.loaded.recipient(at: 0)?.recipient
        let recipient = try #require(first)
        var attempts: [UInt8] = []
        for _ in 1...3 {
            page.sendAgain(recipient, routes: Self.routes(.available), limit: 2, times: &times)
            attempts.append(page.loaded.attempts(at: 0))
        }
        #expect(attempts == [0, 0, 1])
    }
}
