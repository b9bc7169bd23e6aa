/// A boolean expression over topics, groups and attributes: an audience (Protocol/Conditions.md).
///
/// Two conditions are equal if they are the same after three steps: chains of one operator are joined, double negations
/// are dropped and needless parentheses are left out. `a && b` and `b && a` are not equal.
public struct Condition: Hashable, Sendable, CustomStringConvertible {
    /// The longest text, in bytes of UTF-8; the canonical form must not be longer either.
    public static let maximumBytes = 16_384
    /// The most terms.
    public static let maximumTerms = 1_000
    /// The most parentheses and `!` around a term.
    public static let maximumDepth = 64

    /// A node of the expression tree. A chain has at least two parts, and no part is a chain of the same operator.
    indirect enum Node: Hashable, Sendable {
        case set(SetName)
        case not(Node)
        case every([Node])
        case any([Node])
    }

    let root: Node

    private init(_ root: Node) {
        self.root = root
    }

    /// Parses a condition.
    ///
    /// - Throws: a `ConditionError` that names the first byte at which `text` is not a condition.
    public init(_ text: String) throws(ConditionError) {
        self.init(try ConditionParser.parse(text))
        guard description.utf8.count <= Self.maximumBytes else {
            throw ConditionError(
                column: text.utf8.count + 1,
                expected: "a condition of at most \(Self.maximumBytes) bytes in canonical form"
            )
        }
    }

    /// Every device.
    public static let all = Condition(.set(.all))

    /// Makes the condition that holds for the devices that are subscribed to a topic.
    public static func topic(_ topic: TopicName) -> Condition {
        Condition(.set(.topic(topic)))
    }

    /// Makes the condition that holds for the devices in at least one of `groups`; returns nil for an empty list, or
    /// more than `maximumTerms` groups.
    ///
    /// With long names its description can be longer than `maximumBytes`; it then cannot be parsed again.
    public static func groups(_ groups: [GroupName]) -> Condition? {
        guard groups.count <= maximumTerms, let first = groups.first else { return nil }
        return Condition(groups.count == 1 ? .set(.group(first)) : .any(groups.map { .set(.group($0)) }))
    }

    /// The canonical form: one space between words, single quotes, the fewest parentheses. It parses to an equal
    /// condition.
    public var description: String {
        var text = ""
        root.write(to: &text)
        return text
    }

    /// Returns the canonical form; nil if it has more than `bytes` bytes of UTF-8. The work is in proportion to
    /// `bytes`.
    package func description(atMost bytes: Int) -> String? {
        var text = ""
        root.write(to: &text, atMost: bytes)
        return text.utf8.count <= bytes ? text : nil
    }

    /// The sets that the condition names, each once, in the order of the text.
    package var setNames: [SetName] {
        var names: [SetName] = []
        var known: Set<SetName> = []
        root.forEachSet { if known.insert($0).inserted { names.append($0) } }
        return names
    }
}

extension Condition.Node {
    /// The complement of the node; two negations cancel out.
    var negated: Condition.Node {
        if case .not(let inner) = self { inner } else { .not(self) }
    }

    /// Joins parts by `&&`; a part that is such a chain itself contributes its parts.
    static func chain(every parts: [Condition.Node]) -> Condition.Node {
        guard parts.count > 1 else { return parts[0] }
        return .every(parts.flatMap { if case .every(let inner) = $0 { inner } else { [$0] } })
    }

    /// Joins parts by `||`; a part that is such a chain itself contributes its parts.
    static func chain(any parts: [Condition.Node]) -> Condition.Node {
        guard parts.count > 1 else { return parts[0] }
        return .any(parts.flatMap { if case .any(let inner) = $0 { inner } else { [$0] } })
    }

    fileprivate func forEachSet(_ body: (SetName) -> Void) {
        switch self {
        case .set(let name): body(name)
        case .not(let inner): inner.forEachSet(body)
        case .every(let parts), .any(let parts): for part in parts { part.forEachSet(body) }
        }
    }

    /// Appends the canonical form. Stops at a part of a chain once the text is longer than `bytes`.
    fileprivate func write(to text: inout String, atMost bytes: Int = .max) {
        switch self {
        case .set(let name):
            text += name.description
        case .not(.set(.attribute(let key, let value))):
            text += "\(key) != '\(value)'"
        case .not(let inner):
            text += "!"
            inner.write(to: &text, atMost: bytes, inParentheses: inner.isChain)
        case .every(let parts):
            for (index, part) in parts.enumerated() {
                guard text.utf8.count <= bytes else { return }
                if index > 0 { text += " && " }
                part.write(to: &text, atMost: bytes, inParentheses: part.isChain)
            }
        case .any(let parts):
            for (index, part) in parts.enumerated() {
                guard text.utf8.count <= bytes else { return }
                if index > 0 { text += " || " }
                part.write(to: &text, atMost: bytes)
            }
        }
    }

    private func write(to text: inout String, atMost bytes: Int, inParentheses: Bool) {
        if inParentheses { text += "(" }
        write(to: &text, atMost: bytes)
        if inParentheses { text += ")" }
    }

    private var isChain: Bool {
        switch self {
        case .set, .not: false
        case .every, .any: true
        }
    }
}
