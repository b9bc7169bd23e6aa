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
            settings: Deployment.PoolSettings(
                fingerprint: fingerprint, host: host, port: 443, proxy: nil, authoritiesFile: "", managementTopic: nil),
            apps: apps)
    }

    private func plan(
        from present: [PoolKey: PoolPlan.Specification], refused: Set<PoolKey> = [],
        to needed: [PoolKey: PoolPlan.Specification]
    ) -> PoolPlan {
        PoolPlan(from: present, refused: refused, to: needed)
    }

    @Test func `a pool of the same credential is left alone`() {
        let plan = plan(from: [key: pool()], to: [key: pool()])
        #expect(plan.toOpen.isEmpty)
        #expect(plan.toReplace.isEmpty)
        #expect(plan.toRenew.isEmpty)
        #expect(plan.toClose.isEmpty)
    }

    @Test func `a new credential opens a pool and a removed one drains its pool`() {
        let other = PoolKey(destination: .apnsProduction, credential: "other")
        let plan = plan(from: [key: pool()], to: [other: pool()])
        #expect(plan.toOpen == [other])
        #expect(plan.toClose == [key])
        #expect(plan.toReplace.isEmpty)
        #expect(plan.toRenew.isEmpty)
    }

    @Test func `a changed key or host replaces the pool`() {
        #expect(plan(from: [key: pool()], to: [key: pool(fingerprint: [2])]).toReplace == [key])
        #expect(plan(from: [key: pool()], to: [key: pool(host: "api.sandbox.push.apple.com")]).toReplace == [key])
    }

    /// The pool is replaced without a change of the file: the operator may have corrected the key at Apple.
    @Test func `a refused pool is replaced although nothing has changed`() {
        let plan = plan(from: [key: pool()], refused: [key], to: [key: pool()])
        #expect(plan.toReplace == [key])
        #expect(plan.toClose.isEmpty)
    }

    @Test func `a refused pool that is not needed any more is drained`() {
        let plan = plan(from: [key: pool()], refused: [key], to: [:])
        #expect(plan.toReplace.isEmpty)
        #expect(plan.toClose == [key])
    }

    @Test func `an added app renews the connections and a removed one does not`() {
        let (one, two): (Set<String>, Set<String>) = (["com.example.game"], ["com.example.game", "com.example.chat"])
        #expect(plan(from: [key: pool(one)], to: [key: pool(two)]).toRenew == [key])
        #expect(plan(from: [key: pool(two)], to: [key: pool(one)]).toRenew.isEmpty)
        #expect(plan(from: [key: pool(one)], to: [key: pool(["com.example.chat"])]).toRenew == [key])
    }

    @Test func `a replaced pool is not renewed as well`() {
        let plan = plan(from: [key: pool()], to: [key: pool(["com.example.chat"], fingerprint: [2])])
        #expect(plan.toReplace == [key])
        #expect(plan.toRenew.isEmpty)
    }
}
