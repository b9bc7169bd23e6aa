import CarillonCore
import Testing

@testable import CarillonDelivery

/// The pools that take deliveries: a pool that is refused, unreachable or stalled takes none.
struct PoolAvailabilityTests {
    private let game = AppID("com.example.game")!
    private let shop = AppID("com.example.shop")!
    private let pool = PoolKey(destination: .apnsProduction, credential: "main")
    private let sandbox = PoolKey(destination: .apnsSandbox, credential: "main")

    /// Makes the availability of two pools. The game has a pool for each environment of APNs. The shop shares that for
    /// production, and has no other.
    private func makeAvailability() -> PoolAvailability {
        PoolAvailability(
            routes: Routes([
                game: [.apnsProduction: pool, .apnsSandbox: sandbox], shop: [.apnsProduction: pool],
            ]), limits: DeliveryEngine.Limits(), policy: RetryPolicy())
    }

    private static let now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 500_000)

    /// The properties of a message of the game that is accepted now.
    private func properties(_ expiration: Expiration) -> LoadedMessage.Properties {
        let content = MessageContent(app: game, pushType: .alert, expiration: expiration, payload: Array("{}".utf8))
        let outbound = OutboundMessage(
            id: MessageID(rawValue: 1), content: content, sendableSince: Self.now.wall, notAfter: nil, lane: .bulk)
        return LoadedMessage.Properties(outbound, notAfter: nil, at: Self.now)
    }

    private func routes(of app: AppID, _ availability: PoolAvailability) -> [PoolAvailability.Route] {
        let routes = availability.routes(of: app)
        return [.apnsProduction, .apnsSandbox, .fcm].map { routes[$0] }
    }

    private func trial(of app: AppID) -> CredentialGate.Trial {
        CredentialGate.Trial(app: app, message: MessageID(rawValue: 1), page: 0, position: 0)
    }

    @Test func `a pool without connections is unreachable until it has one`() {
        var availability = makeAvailability()
        availability.poolAskedForWork(pool, at: 700)
        let changes = [
            availability.poolBecameUnreachable(pool, at: 1_000), availability.poolBecameUnreachable(pool, at: 2_000),
        ]
        #expect(changes == [true, false])
        #expect(routes(of: game, availability) == [.unreachable, .available, .missing])
        #expect(availability.unusableSince(of: game, to: .apnsProduction) == 700, "since it asked for work")
        #expect(availability.unusableSince(of: game, to: .apnsSandbox) == nil)
        let returns = [availability.poolBecameReachable(pool), availability.poolBecameReachable(pool)]
        #expect(returns == [true, false])
        #expect(routes(of: game, availability) == [.available, .available, .missing])
        #expect(!availability.hasDownPools)
        #expect(!availability.hasUnusablePools)
    }

    @Test func `a pool that never asked is unusable since it became unreachable`() {
        var availability = makeAvailability()
        _ = availability.poolBecameUnreachable(sandbox, at: 1_000)
        #expect(availability.unusableSince(of: game, to: .apnsSandbox) == 1_000)
        #expect(availability.unusableSince(of: shop, to: .apnsSandbox) == nil, "no pool serves it")
    }

    @Test func `a push that is only for now waits half a minute for its pool`() {
        var availability = makeAvailability()
        _ = availability.poolBecameUnreachable(pool, at: 400_000)
        let times: [Uptime] = [530_000, 530_001]
        let once = properties(.once)
        let hasWaited = times.map { uptime in
            availability.routes(of: once, at: Moment(wall: Self.now.wall, uptime: uptime))
                .endsWaiting(for: .apnsProduction)
        }
        #expect(hasWaited == [false, true], "half a minute since the message was accepted")
        let stored = properties(.unspecified)
        let later = Moment(wall: Self.now.wall, uptime: 900_000)
        #expect(!availability.hasWaitedTooLong(stored, in: .apnsProduction, at: later))
        #expect(!availability.hasWaitedTooLong(once, in: .apnsSandbox, at: later), "its pool can be used")
    }

    @Test func `recipients left on disk for a pool that is down end when their message expires`() {
        var availability = makeAvailability()
        let messages = [Expiration.once, .at(seconds: 1_790_000_060), .unspecified].map { properties($0) }
        #expect(messages.allSatisfy { availability.endOfLeftRecipients(of: $0, at: Self.now) == nil })
        _ = availability.poolBecameUnreachable(pool, at: 400_000)
        let ends = messages.map { availability.endOfLeftRecipients(of: $0, at: Self.now) }
        #expect(ends == [530_001, 560_001, nil])
    }

    @Test func `recipients can end unless all pools of the app are down`() {
        var availability = makeAvailability()
        let stored = properties(.unspecified)
        var canEnd = [availability.canEndRecipients(of: stored, at: Self.now)]
        for closed in [pool, sandbox] {
            _ = availability.poolBecameUnreachable(closed, at: 400_000)
            canEnd.append(availability.canEndRecipients(of: stored, at: Self.now))
        }
        #expect(canEnd == [true, true, false], "one pool is enough")
        #expect(availability.canEndRecipients(of: properties(.at(seconds: 9)), at: Self.now), "its time is over")
        availability.change(to: Routes([:]))
        #expect(availability.canEndRecipients(of: stored, at: Self.now), "no pool serves the app")
    }

    @Test func `one delivery at a time tries a credential`() {
        var availability = makeAvailability()
        #expect(availability.allowance(of: pool, with: .admitted, limit: 5) == 5)
        #expect(availability.allowance(of: pool, with: .parked, limit: 5) == 0)
        #expect(availability.allowance(of: pool, with: .trial, limit: 5) == 1)
        #expect(availability.allowance(of: pool, with: .trial, limit: 0) == 0)
        _ = availability.withCredential(of: pool) { $0.trialRefused(trial(of: game), at: 1_000) }
        availability.beginTrial(trial(of: game), of: pool)
        #expect(availability.trial(of: pool) == trial(of: game))
        #expect(availability.allowance(of: pool, with: .trial, limit: 5) == 0, "the trial has no answer yet")
    }

    /// The pool has two apps, and one is refused: the other goes on.
    @Test func `a refused credential parks the app alone`() {
        var availability = makeAvailability()
        let refused = availability.withCredential(of: pool) { gate in
            _ = gate.trialRefused(trial(of: game), at: 1_000)
            gate.trialHandedOut(trial(of: game))
            return gate.trialRefused(trial(of: game), at: 1_100)
        }
        #expect(refused != nil)
        #expect([game, shop].map { availability.admission(of: $0, to: pool) } == [.parked, .admitted])
        #expect(routes(of: game, availability) == [.parked, .available, .missing])
        #expect(routes(of: shop, availability) == [.available, .missing, .missing])
        #expect(availability.refusal(of: game, to: .apnsProduction)?.nextTrial == availability.nextTrial)
        #expect(availability.hasRefusedCredential(pool))
    }

    @Test func `a refused app gets a trial when one is due`() throws {
        var availability = makeAvailability()
        availability.withCredential(of: pool) { gate in
            _ = gate.trialRefused(trial(of: game), at: 1_000)
            gate.trialHandedOut(trial(of: game))
            _ = gate.trialRefused(trial(of: game), at: 1_100)
        }
        let next = try #require(availability.nextTrial)
        let due = [availability.takeDueTrials(at: 1_101), availability.takeDueTrials(at: next)]
        #expect(due == [false, true])
        #expect(availability.admission(of: game, to: pool) == .trial)
        #expect(routes(of: game, availability)[0] == .available, "one of its deliveries may be handed out")
    }

    @Test func `an accepted credential is forgotten`() {
        var availability = makeAvailability()
        availability.withCredential(of: pool) { _ = $0.trialRefused(trial(of: game), at: 1_000) }
        #expect(availability.hasRefusedCredential(pool))
        availability.withCredential(of: pool) { gate in
            gate.trialHandedOut(trial(of: game))
            _ = gate.trialAccepted(trial(of: game), at: 1_100)
        }
        #expect(!availability.hasRefusedCredential(pool))
        #expect(!availability.hasDownPools)
    }

    @Test func `a pool with a new credential is available again`() {
        var availability = makeAvailability()
        availability.withCredential(of: pool) { _ = $0.trialRefused(trial(of: game), at: 1_000) }
        _ = availability.poolBecameUnreachable(pool, at: 1_000)
        #expect(availability.hasRefusedCredential(pool))
        #expect(routes(of: game, availability)[0] == .unreachable)
        let restarts = [availability.poolRestarted(pool), availability.poolRestarted(pool)]
        #expect(restarts == [true, false])
        #expect(!availability.hasRefusedCredential(pool))
        #expect(routes(of: game, availability)[0] == .available)
    }

    @Test func `pools without an app are forgotten`() {
        var availability = makeAvailability()
        _ = availability.poolBecameUnreachable(sandbox, at: 1_000)
        availability.change(to: Routes([game: [.apnsProduction: pool]]))
        #expect(availability.hasDownPools)
        availability.forgetUnroutedPools()
        #expect(!availability.hasDownPools)
        #expect(routes(of: game, availability) == [.available, .missing, .missing])
    }
}
