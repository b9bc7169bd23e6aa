import CarillonCore
import Testing

@testable import CarillonServer

/// The pools that a reload opens, replaces, renews or drains, by the files before and after.
struct PoolPlanTests {
    private let key = PoolKey(destination: .apnsProduction, credential: "main")

    private func pool(
        _ apps: Set<String> = ["com.example.game"], fingerprint: [UInt8] = [1], host: String = "api.push.apple.com"
    ) -> PoolPlan.Specification {
        PoolPlan.Specification(
            description: Deployment.PoolDescription(
                fingerprint: fingerprint, host: host, port: 443, proxy: nil, authorities: "", managementTopic: nil),
            apps: apps)
    }

    private func plan(
        from present: [PoolKey: PoolPlan.Specification], refused: Set<PoolKey> = [],
        to needed: [PoolKey: PoolPlan.Specification]
    ) -> PoolPlan {
        PoolPlan(from: present, refused: refused, to: needed)
    }

    @Test func aPoolOfTheSameCredentialIsLeftAlone() {
        let plan = plan(from: [key: pool()], to: [key: pool()])
        #expect(plan.opened.isEmpty)
        #expect(plan.replaced.isEmpty)
        #expect(plan.renewed.isEmpty)
        #expect(plan.drained.isEmpty)
    }

    @Test func aNewCredentialOpensAPoolAndARemovedOneDrainsItsPool() {
        let other = PoolKey(destination: .apnsProduction, credential: "other")
        let plan = plan(from: [key: pool()], to: [other: pool()])
        #expect(plan.opened == [other])
        #expect(plan.drained == [key])
        #expect(plan.replaced.isEmpty)
        #expect(plan.renewed.isEmpty)
    }

    @Test func aChangedKeyOrHostReplacesThePool() {
        #expect(plan(from: [key: pool()], to: [key: pool(fingerprint: [2])]).replaced == [key])
        #expect(plan(from: [key: pool()], to: [key: pool(host: "api.sandbox.push.apple.com")]).replaced == [key])
    }

    /// The pool is replaced without a change of the file: the operator may have corrected the key at Apple.
    @Test func aPoolWhoseCredentialWasRefusedIsReplacedAlthoughNothingHasChanged() {
        let plan = plan(from: [key: pool()], refused: [key], to: [key: pool()])
        #expect(plan.replaced == [key])
        #expect(plan.drained.isEmpty)
    }

    @Test func aRefusedPoolThatIsNotNeededAnyMoreIsDrained() {
        let plan = plan(from: [key: pool()], refused: [key], to: [:])
        #expect(plan.replaced.isEmpty)
        #expect(plan.drained == [key])
    }

    @Test func anAddedAppRenewsTheConnectionsAndARemovedOneDoesNot() {
        let (one, two): (Set<String>, Set<String>) = (["com.example.game"], ["com.example.game", "com.example.chat"])
        #expect(plan(from: [key: pool(one)], to: [key: pool(two)]).renewed == [key])
        #expect(plan(from: [key: pool(two)], to: [key: pool(one)]).renewed.isEmpty)
        #expect(plan(from: [key: pool(one)], to: [key: pool(["com.example.chat"])]).renewed == [key])
    }

    @Test func aReplacedPoolIsNotRenewedAsWell() {
        let plan = plan(from: [key: pool()], to: [key: pool(["com.example.chat"], fingerprint: [2])])
        #expect(plan.replaced == [key])
        #expect(plan.renewed.isEmpty)
    }
}
