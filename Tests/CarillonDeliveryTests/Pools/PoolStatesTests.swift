import CarillonCore
import Testing

@testable import CarillonDelivery

/// The pools together: what they may have, which answers about tokens are believed, and when they are looked at.
struct PoolStatesTests {
    private let app = AppID("com.example.game")!
    private let pool = PoolKey(destination: .apnsProduction, credential: "main")

    private func states() -> PoolStates {
        PoolStates(routes: Routes([app: [.apnsProduction: pool]]), limits: DeliveryEngine.EngineLimits())
    }

    @Test func aPoolGetsNoMoreThanItAsksFor() {
        var states = states()
        let allowed = states.poolAskedForWork(pool, PullLimits(5, interactive: 3, bulk: 4), at: 1_000)
        #expect([allowed.all, allowed.interactive, allowed.bulk] == [5, 3, 4])
    }

    @Test func anAnswerAboutATokenIsBelievedUntilTooManyAreBad() {
        var states = states()
        #expect(states.trusts(.bad, of: app, .apnsProduction))
        var alarms: [DeliveryEngine.Alarm] = []
        for _ in 0..<10_000 where alarms.isEmpty {
            if let alarm = states.tokenReported(.bad, of: app, for: .apnsProduction) { alarms.append(alarm) }
        }
        #expect(alarms == [.badTokens(app, .apnsProduction, isOver: false)])
        #expect(!states.trusts(.bad, of: app, .apnsProduction))
        #expect(states.trusts(.bad, of: app, .apnsSandbox), "the other destination")
    }

    @Test func theNextTimeOfAPoolIsTheTrialOfItsCredential() {
        var states = states()
        #expect(states.nextTime == nil)
        for _ in 1...2 { _ = states.gates.withCredential(of: pool) { $0.connectionRefused(at: 1_000) } }
        let next = states.nextTime
        #expect(next != nil)
        var actions = DeliveryEngine.Actions()
        states.wakeDuePools(at: next ?? 0, &actions)
        let allowed = [states.gates.takeDueTrials(at: 1_000), states.gates.takeDueTrials(at: next ?? 0)]
        #expect(allowed == [false, true])
        #expect(actions.wake.isEmpty)
    }
}
