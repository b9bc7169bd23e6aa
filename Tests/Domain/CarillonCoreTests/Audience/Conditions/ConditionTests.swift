import CarillonCore
import Testing

/// Conditions that are made of names, and their canonical form.
struct ConditionTests {
    @Test func `a condition of a topic or of groups is written with their names`() throws {
        let topic = try #require(TopicName("level5"))
        let groups = try ["user/42", "role/9001"].map { try #require(GroupName($0)) }
        #expect(Condition.topic(topic).description == "'level5' in topics")
        let some = [groups, [groups[0]], []].map { Condition.groups($0)?.description }
        #expect(some == ["'user/42' in groups || 'role/9001' in groups", "'user/42' in groups", nil])
        #expect(Condition.groups(Array(repeating: groups[0], count: 1_000)) != nil)
        #expect(Condition.groups(Array(repeating: groups[0], count: 1_001)) == nil)
        #expect(Condition.all.description == "all")
        #expect(try Condition("'level5' in topics") == .topic(topic))
    }

    @Test func `a canonical form within the limit is whole`() throws {
        let condition = try Condition("'a' in topics && !('b' in topics || 'c' in topics)")
        let text = condition.description
        #expect(condition.description(atMost: text.utf8.count) == text)
        #expect(condition.description(atMost: text.utf8.count - 1) == nil)
    }

    @Test func `a canonical form above the limit is left out`() {
        let groups = (0..<1_000).compactMap { GroupName("group/\($0)") }
        let condition = Condition.groups(groups)
        #expect(condition?.description(atMost: 4_096) == nil)
        #expect(condition?.description(atMost: 1 << 20) == condition?.description)
    }
}
