import CarillonCore
import CarillonTestKit
import Foundation
import Testing

/// Parsing conditions, and the errors of the parser.
struct ConditionParserTests {
    private func fault(_ text: String) -> ConditionError? {
        do throws(ConditionError) {
            _ = try Condition(text)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the vectors of the specification are parsed as they say`() throws {
        let vectors = try ConditionVector.all.get()
        for vector in vectors {
            if let column = vector.column {
                #expect(fault(vector.text)?.column == column, "\(vector)")
                continue
            }
            let condition = try Condition(vector.text)
            #expect(condition.description == vector.canonical)
            #expect(ConditionPlan(condition).sets.map(\.description) == vector.sets, "\(vector)")
            #expect(try Condition(condition.description) == condition)
        }
        #expect(vectors.count(where: { $0.column == nil }) >= 90)
        #expect(vectors.count(where: { $0.column != nil }) >= 90)
    }

    @Test(arguments: [
        ("'level5' in topic", "column 13: expected 'topics' or 'groups'"),
        ("platform = 'ios'", "column 10: expected '==' or '!='"),
        ("environment == 'test'", "column 17: expected 'production' or 'sandbox'"),
        ("(all", "column 5: expected '&&', '||' or ')'"),
        ("all)", "column 4: expected '&&', '||' or the end"),
    ])
    func `an error says where and what was expected`(_ text: String, _ sentence: String) {
        #expect(fault(text)?.description == sentence)
    }

    @Test func `a text has at most sixteen kibibytes`() throws {
        let full = "all" + String(repeating: " ", count: Condition.maximumBytes - 3)
        #expect(try Condition(full) == .all)
        #expect(fault(full + " ")?.column == 16_385)
        #expect(fault(String(repeating: "é", count: 1_000_000))?.column == 16_385)
    }

    @Test func `a condition has at most a thousand terms`() throws {
        let full = Array(repeating: "all", count: 1_000).joined(separator: " || ")
        #expect(try Condition(full).description == full)
        #expect(fault(full + " || all")?.column == full.utf8.count + 5)
    }

    @Test func `the canonical form is held to the same length`() throws {
        // 16 bytes a term as written, 19 in canonical form.
        let text = Array(repeating: "'abc'in topics", count: 900).joined(separator: "||")
        #expect(text.utf8.count < Condition.maximumBytes)
        #expect(fault(text)?.column == text.utf8.count + 1)
    }

    @Test(arguments: ["(", "!", "(!", "!(", "( ", "all&&(", "all||!(", "'", "'a", "&", "=", "a"])
    func `deep nesting is refused without recursion`(_ piece: String) {
        let text = String(repeating: piece, count: Condition.maximumBytes / piece.utf8.count)
        #expect(fault(text) != nil)
    }

    @Test func `random bytes never trap`() {
        var random = SeededGenerator(seed: TestSeeds.one(11))
        let pieces = [
            "'a'", "\"b\"", "in", "topics", "groups", "all", "&&", "||", "!", "(", ")", "==", "!=", "k", " ", "é",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            guard let fault = fault(text) else { continue }
            #expect((1...text.utf8.count + 1).contains(fault.column))
        }
    }

    @Test func `a random condition is parsed to the expression that was written`() throws {
        var random = SeededGenerator(seed: TestSeeds.one(7))
        for _ in 0..<2_000 {
            let expression = RandomExpression.random(depth: 5, using: &random)
            let condition = try Condition(expression.text(using: &random))
            #expect(try Condition(condition.description) == condition)
            #expect(condition.description.utf8.count <= expression.text(using: &random).utf8.count)
            for _ in 0..<8 {
                let memberships = UInt8.random(in: .min ... .max, using: &random)
                let reread = try Condition(condition.description)
                #expect(try holds(reread, in: memberships) == expression.holds(in: memberships))
            }
        }
    }

    /// Returns true if a device that is in the sets whose bits are set in `memberships` is selected.
    private func holds(_ condition: Condition, in memberships: UInt8) throws -> Bool {
        let plan = ConditionPlan(condition)
        var evaluator = ConditionEvaluator(plan)
        return evaluator.evaluate { set, bits in
            if RandomExpression.isMember(of: plan.sets[set], in: memberships) { bits.insert(0) }
        }
    }
}

/// The rows of `Protocol/vectors/conditions.json`.
private struct ConditionVector: Decodable, Sendable, CustomStringConvertible {
    let text: String
    /// The canonical form of a valid text; nil for an invalid one.
    let canonical: String?
    let sets: [String]?
    /// The column of the fault in an invalid text; nil for a valid one.
    let column: Int?

    var description: String { text.count > 80 ? "\(text.prefix(80))…" : text }

    static let all: Result<[ConditionVector], any Error> = Result {
        let root = Repository.root
        let data = try Data(contentsOf: root.appendingPathComponent("Protocol/vectors/conditions.json"))
        return try JSONDecoder().decode([ConditionVector].self, from: data)
    }
}
