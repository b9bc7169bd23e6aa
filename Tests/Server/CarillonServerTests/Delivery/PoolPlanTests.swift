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

    /// Returns the steps of a plan, such as `["open other", "close main"]`.
    private func steps(
        from existing: [PoolKey: PoolPlan.Specification], refused: Set<PoolKey> = [],
        to needed: [PoolKey: PoolPlan.Specification]
    ) -> [String] {
        let plan = PoolPlan(from: existing, refused: refused, to: needed)
        let steps = [
            ("open", plan.toOpen), ("replace", plan.toReplace), ("renew", plan.toRenew), ("close", plan.toClose),
        ]
        return steps.flatMap { step, keys in keys.map { "\(step) \($0.credential)" }.sorted() }
    }

    @Test func `a pool of the same credential is left alone`() {
        #expect(steps(from: [key: pool()], to: [key: pool()]) == [])
    }

    @Test func `a new credential opens a pool and a removed one drains its pool`() {
        let other = PoolKey(destination: .apnsProduction, credential: "other")
        #expect(steps(from: [key: pool()], to: [other: pool()]) == ["open other", "close main"])
    }

    @Test func `a changed key or host replaces the pool`() {
        #expect(steps(from: [key: pool()], to: [key: pool(fingerprint: [2])]) == ["replace main"])
        #expect(steps(from: [key: pool()], to: [key: pool(host: "api.sandbox.push.apple.com")]) == ["replace main"])
    }

    /// The pool is replaced without a change of the file: the operator may have corrected the key at Apple.
    @Test func `a refused pool is replaced although nothing has changed`() {
        #expect(steps(from: [key: pool()], refused: [key], to: [key: pool()]) == ["replace main"])
    }

    @Test func `a refused pool that is no longer needed is drained`() {
        #expect(steps(from: [key: pool()], refused: [key], to: [:]) == ["close main"])
    }

    @Test func `an added app renews the connections and a removed one does not`() {
        let one: Set = ["com.example.game"]
        let two: Set = ["com.example.game", "com.example.chat"]
        #expect(steps(from: [key: pool(one)], to: [key: pool(two)]) == ["renew main"])
        #expect(steps(from: [key: pool(two)], to: [key: pool(one)]) == [])
        #expect(steps(from: [key: pool(one)], to: [key: pool(["com.example.chat"])]) == ["renew main"])
    }

    @Test func `a replaced pool is not renewed as well`() {
        let changed = pool(["com.example.chat"], fingerprint: [2])
        #expect(steps(from: [key: pool()], to: [key: changed]) == ["replace main"])
    }
}
