import CarillonTestKit
import Foundation

/// The rows of `Protocol/vectors/conditions.json`.
struct ConditionVector: Decodable, Sendable, CustomStringConvertible {
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
