import CarillonCore
import Testing

/// The canonical form of a condition, which is left out where it would be longer than a limit.
struct ConditionLengthTests {
    @Test func aCanonicalFormWithinTheLimitIsWhole() throws {
        let condition = try Condition("'a' in topics && !('b' in topics || 'c' in topics)")
        let text = condition.description
        #expect(condition.description(atMost: text.utf8.count) == text)
        #expect(condition.description(atMost: text.utf8.count - 1) == nil)
    }

    @Test func aCanonicalFormAboveTheLimitIsLeftOut() {
        let groups = (0..<1_000).compactMap { GroupName("group/\($0)") }
        let condition = Condition.groups(groups)
        #expect(condition?.description(atMost: 4_096) == nil)
        #expect(condition?.description(atMost: 1 << 20) == condition?.description)
    }
}
