import CarillonCore
import Testing

@testable import CarillonDelivery

/// The pools that take deliveries: a pool that is refused, unreachable or absent takes none.
struct PoolGatesTests {
    private let game = AppID("com.example.game")!
    private let shop = AppID("com.example.shop")!
    private let pool = PoolKey(destination: .apnsProduction, credential: "main")
    private let sandbox = PoolKey(destination: .apnsSandbox, credential: "main")

    /// Makes gates. The game has a pool for both environments of APNs; the shop has one only for production, and shares
    /// that one.
    private func gates() -> PoolGates {
        PoolGates(
            routes: Routes([
                game: [.apnsProduction: pool, .apnsSandbox: sandbox], shop: [.apnsProduction: pool],
            ]), limits: DeliveryEngine.Limits())
    }

    private func routes(of app: AppID, _ gates: PoolGates) -> [PoolGates.Route] {
        let routes = gates.routes(of: app)
        return [.apnsProduction, .apnsSandbox, .fcm].map { routes[$0] }
    }

    private func trial(of app: AppID) -> CredentialGate.Trial {
        CredentialGate.Trial(app: app, message: MessageID(rawValue: 1), page: 0, position: 0)
    }

    @Test func aPoolWithoutConnectionsIsUnreachableUntilItHasOne() {
        var gates = gates()
        gates.poolAskedForWork(pool, at: 700)
        let news = [gates.poolBecameUnreachable(pool, at: 1_000), gates.poolBecameUnreachable(pool, at: 2_000)]
        #expect(news == [true, false])
        #expect(routes(of: game, gates) == [.unreachable, .open, .missing])
        #expect(gates.unusableSince(of: game, to: .apnsProduction) == 700, "since it asked for work")
        #expect(gates.unusableSince(of: game, to: .apnsSandbox) == nil)
        let returns = [gates.poolBecameReachable(pool), gates.poolBecameReachable(pool)]
        #expect(returns == [true, false])
        #expect(routes(of: game, gates) == [.open, .open, .missing])
        #expect(!gates.hasClosedPools)
        #expect(!gates.hasUnusablePools)
    }

    @Test func aPoolThatNeverAskedIsUnusableSinceItSaidSo() {
        var gates = gates()
        _ = gates.poolBecameUnreachable(sandbox, at: 1_000)
        #expect(gates.unusableSince(of: game, to: .apnsSandbox) == 1_000)
        #expect(gates.unusableSince(of: shop, to: .apnsSandbox) == nil, "no pool serves it")
    }

    @Test func oneDeliveryAtATimeTriesACredential() {
        var gates = gates()
        #expect(gates.allowance(of: pool, with: .open, limit: 5) == 5)
        #expect(gates.allowance(of: pool, with: .closed, limit: 5) == 0)
        #expect(gates.allowance(of: pool, with: .trial, limit: 5) == 1)
        #expect(gates.allowance(of: pool, with: .trial, limit: 0) == 0)
        _ = gates.withCredential(of: pool) { $0.trialRefused(trial(of: game), at: 1_000) }
        gates.beginTrial(trial(of: game), of: pool)
        #expect(gates.trial(of: pool) == trial(of: game))
        #expect(gates.allowance(of: pool, with: .trial, limit: 5) == 0, "the trial has no answer yet")
    }

    /// The pool has two apps, and one is refused: the other goes on.
    @Test func aRefusedCredentialParksTheAppAlone() {
        var gates = gates()
        let refused = gates.withCredential(of: pool) { gate in
            _ = gate.trialRefused(trial(of: game), at: 1_000)
            gate.trialHandedOut(trial(of: game))
            return gate.trialRefused(trial(of: game), at: 1_100)
        }
        #expect(refused != nil)
        #expect([game, shop].map { gates.admission(of: $0, to: pool) } == [.closed, .open])
        #expect(routes(of: game, gates) == [.parked, .open, .missing])
        #expect(routes(of: shop, gates) == [.open, .missing, .missing])
        #expect(gates.refusal(of: game, to: .apnsProduction)?.nextTrial == gates.nextTrial)
        #expect(gates.hasRefusedCredential(pool))
    }

    @Test func aTrialIsAllowedAtItsTime() throws {
        var gates = gates()
        gates.withCredential(of: pool) { gate in
            _ = gate.trialRefused(trial(of: game), at: 1_000)
            gate.trialHandedOut(trial(of: game))
            _ = gate.trialRefused(trial(of: game), at: 1_100)
        }
        let next = try #require(gates.nextTrial)
        let due = [gates.takeDueTrials(at: 1_101), gates.takeDueTrials(at: next)]
        #expect(due == [false, true])
        #expect(gates.admission(of: game, to: pool) == .trial)
        #expect(routes(of: game, gates)[0] == .open, "one of its deliveries may be handed out")
    }

    @Test func anAcceptedCredentialIsForgotten() {
        var gates = gates()
        gates.withCredential(of: pool) { _ = $0.trialRefused(trial(of: game), at: 1_000) }
        #expect(gates.hasRefusedCredential(pool))
        gates.withCredential(of: pool) { gate in
            gate.trialHandedOut(trial(of: game))
            _ = gate.trialAccepted(trial(of: game), at: 1_100)
        }
        #expect(!gates.hasRefusedCredential(pool))
        #expect(!gates.hasClosedPools)
    }

    @Test func aPoolWithANewCredentialIsOpenAgain() {
        var gates = gates()
        gates.withCredential(of: pool) { _ = $0.trialRefused(trial(of: game), at: 1_000) }
        _ = gates.poolBecameUnreachable(pool, at: 1_000)
        #expect(gates.hasRefusedCredential(pool))
        #expect(routes(of: game, gates)[0] == .unreachable)
        let restarts = [gates.poolRestarted(pool), gates.poolRestarted(pool)]
        #expect(restarts == [true, false])
        #expect(!gates.hasRefusedCredential(pool))
        #expect(routes(of: game, gates)[0] == .open)
    }

    @Test func poolsWithoutAnAppAreForgotten() {
        var gates = gates()
        _ = gates.poolBecameUnreachable(sandbox, at: 1_000)
        gates.change(to: Routes([game: [.apnsProduction: pool]]))
        #expect(gates.hasClosedPools)
        gates.forgetClosedPools()
        #expect(!gates.hasClosedPools)
        #expect(routes(of: game, gates) == [.open, .missing, .missing])
    }
}
