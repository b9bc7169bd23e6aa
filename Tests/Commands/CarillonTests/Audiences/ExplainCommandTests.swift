import CarillonCommandLine
import CarillonCore
import Testing

@testable import carillon

struct ExplainCommandTests {
    @Test func `an explanation is a table`() {
        let explanation = Explanation(
            condition: "'a' in topics && !all",
            devices: 1_234,
            terms: [.init(set: "'a' in topics", devices: 20_000), .init(set: "all", devices: 1_000_000)]
        )
        #expect(
            explanation.table == """
                     1,234  'a' in topics && !all
                    20,000    'a' in topics
                 1,000,000    all
                """
        )
    }
}
