import CarillonCore
import CarillonTestKit

/// A random condition with its own evaluation, to which the parser and the plan are compared.
indirect enum RandomExpression {
    case all
    case set(Int)
    case differs(Int)
    case not(RandomExpression)
    case and([RandomExpression])
    case or([RandomExpression])

    /// The terms and their sets; a device's sets are the bits of a `UInt8`.
    static let terms = [
        "'a' in topics", "'b' in topics", "'a' in groups", "'user/42' in groups", "k == 'v'", "locale == 'zh'",
        "kind == 'voip'", "environment == 'sandbox'",
    ]
    /// The index of the first term that can be negated by `!=`; all later terms can be, too.
    private static let firstComparison = 4

    static func random(depth: Int, using random: inout SeededGenerator) -> RandomExpression {
        guard depth > 0 else {
            return switch Int.random(in: 0..<10, using: &random) {
            case 0: .all
            case 1: .differs(Int.random(in: firstComparison..<terms.count, using: &random))
            default: .set(Int.random(in: 0..<terms.count, using: &random))
            }
        }
        let below = Int.random(in: 0..<depth, using: &random)
        var parts: [RandomExpression] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) { parts.append(.random(depth: below, using: &random)) }
        return switch Int.random(in: 0..<5, using: &random) {
        case 0: .not(parts[0])
        case 1, 2: .and(parts)
        default: .or(parts)
        }
    }

    /// Returns true if the expression selects a device in these sets.
    func holds(in memberships: UInt8) -> Bool {
        switch self {
        case .all: true
        case .set(let index): memberships >> index & 1 == 1
        case .differs(let index): memberships >> index & 1 == 0
        case .not(let inner): !inner.holds(in: memberships)
        case .and(let parts): parts.allSatisfy { $0.holds(in: memberships) }
        case .or(let parts): parts.contains { $0.holds(in: memberships) }
        }
    }

    /// Returns true if a device in these sets is in `set`.
    static func isMember(of set: SetName, in memberships: UInt8) -> Bool {
        terms.firstIndex(of: set.description).map { memberships >> $0 & 1 == 1 } ?? (set == .all)
    }

    /// Returns one of the spellings of the expression, with parentheses wherever they could matter and some where they
    /// do not.
    func text(using random: inout SeededGenerator) -> String {
        switch self {
        case .all: return "all"
        case .set(let index): return Self.terms[index]
        case .differs(let index): return Self.terms[index].replacing("==", with: "!=")
        case .not(let inner): return "!(" + inner.text(using: &random) + ")"
        case .and(let parts): return join(parts, " && ", using: &random)
        case .or(let parts): return join(parts, " || ", using: &random)
        }
    }

    private func join(_ parts: [RandomExpression], _ mark: String, using random: inout SeededGenerator) -> String {
        var texts: [String] = []
        for part in parts { texts.append("(" + part.text(using: &random) + ")") }
        let text = texts.joined(separator: Bool.random(using: &random) ? mark : "\n\(mark)\t")
        return Bool.random(using: &random) ? text : "(\(text))"
    }
}
