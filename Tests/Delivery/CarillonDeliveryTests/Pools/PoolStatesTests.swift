import CarillonCore
import Testing

@testable import CarillonDelivery

/// The pools together: what each may have, and when the next of them is looked at.
struct PoolStatesTests {
    private static let app = AppID("com.example.game")!
    private static let pool = PoolKey(destination: .apnsProduction, credential: "main")
    private var states = PoolStates(
        routes: Routes([app: [.apnsProduction: pool]]), limits: DeliveryEngine.Limits(), policy: RetryPolicy())

    @Test mutating func `a pool gets no more deliveries than it asks for`() {
        let asked = PullLimits(5, interactive: 3, bulk: 4)
        let allowed = states.poolAskedForWork(Self.pool, atMost: asked, at: 1_000)
        #expect(allowed.all == 5)
        #expect(allowed.interactive == 3)
        #expect(allowed.bulk == 4)
    }

    @Test mutating func `a parked pool is looked at when its trial is due`() throws {
        #expect(states.nextTime == nil, "nothing waits for a time")
        // The provider ends two connections because of the credential, and the pool is parked.
        for _ in 1...2 { _ = states.availability.withCredential(of: Self.pool) { $0.connectionRefused(at: 1_000) } }
        let trial = try #require(states.nextTime)
        #expect(trial.milliseconds == 1_000 + CredentialGate.trialDelayMilliseconds[0])
        let isDueAtOnce = states.availability.takeDueTrials(at: 1_000)
        #expect(!isDueAtOnce)
        let isDueAtItsTime = states.availability.takeDueTrials(at: trial)
        #expect(isDueAtItsTime)
    }

    @Test mutating func `a trial wakes no pool`() throws {
        for _ in 1...2 { _ = states.availability.withCredential(of: Self.pool) { $0.connectionRefused(at: 1_000) } }
        var actions = DeliveryEngine.Actions()
        states.wakeDuePools(at: try #require(states.nextTime), &actions)
        #expect(actions.poolsToWake.isEmpty)
    }
}
