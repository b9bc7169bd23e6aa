import CarillonCore
import Testing

/// The sets that a condition needs.
struct ConditionPlanTests {
    @Test(arguments: [
        ("'a' in topics", "'a' in topics"), ("all && 'a' in topics", "'a' in topics"), ("all", "all"),
        ("all && all", "all"), ("!platform != 'ios'", "platform == 'ios'"), ("!'a' in topics", nil),
        ("'a' in topics && 'b' in topics", nil), ("all || 'a' in topics", nil),
    ])
    func `a plan says whether it is one stored set`(_ text: String, _ name: String?) throws {
        #expect(ConditionPlan(try Condition(text)).singleSet?.description == name)
    }
}
