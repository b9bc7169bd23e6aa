/// A recursive-descent parser of conditions (Conditions 2). Its depth is bounded by `Condition.maximumDepth`
/// parentheses, and it looks at each byte a bounded number of times.
struct ConditionParser {
    private let bytes: [UInt8]
    private var offset = 0
    private var terms = 0

    /// Parses `text`; checks the limits of `Condition`.
    static func parse(_ text: String) throws(ConditionError) -> Condition.Node {
        guard text.utf8.count <= Condition.maximumBytes else {
            throw ConditionError(
                column: Condition.maximumBytes + 1,
                expected: "the end: a condition has at most \(Condition.maximumBytes) bytes"
            )
        }
        var parser = ConditionParser(bytes: Array(text.utf8))
        let root = try parser.disjunction(depth: 0)
        guard parser.offset == parser.bytes.count else { throw parser.fault("'&&', '||' or the end") }
        return root
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func disjunction(depth: Int) throws(ConditionError) -> Condition.Node {
        var parts = [try conjunction(depth: depth)]
        while consume("||") { parts.append(try conjunction(depth: depth)) }
        return .chain(any: parts)
    }

    private mutating func conjunction(depth: Int) throws(ConditionError) -> Condition.Node {
        var parts = [try operand(depth: depth)]
        while consume("&&") { parts.append(try operand(depth: depth)) }
        return .chain(every: parts)
    }

    private mutating func operand(depth: Int) throws(ConditionError) -> Condition.Node {
        var depth = depth
        var isNegated = false
        while try open("!", depth: &depth) { isNegated.toggle() }
        let node: Condition.Node
        if try open("(", depth: &depth) {
            node = try disjunction(depth: depth)
            guard consume(")") else { throw fault("'&&', '||' or ')'") }
        } else {
            node = try term()
        }
        return isNegated ? node.negated : node
    }

    private mutating func open(_ mark: StaticString, depth: inout Int) throws(ConditionError) -> Bool {
        guard consume(mark) else { return false }
        depth += 1
        guard depth <= Condition.maximumDepth else {
            offset -= 1
            throw fault("a term: at most \(Condition.maximumDepth) '(' and '!' may stand around one")
        }
        return true
    }

    private mutating func term() throws(ConditionError) -> Condition.Node {
        skipSpace()
        guard let byte = peek, Self.isQuote(byte) || NameAlphabet.isInKey(byte) else {
            throw fault("a name in quotes, an attribute, 'all', '!' or '('")
        }
        terms += 1
        guard terms <= Condition.maximumTerms else {
            throw fault("the end: a condition has at most \(Condition.maximumTerms) terms")
        }
        return Self.isQuote(byte) ? .set(try membership()) : try comparison()
    }

    // MARK: 'name' in topics

    private mutating func membership() throws(ConditionError) -> SetName {
        let quoted = try quotedText()
        let preposition = word()
        guard preposition.text == "in" else { throw fault("'in topics' or 'in groups'", at: preposition.start) }
        let kind = word()
        switch kind.text {
        case "topics":
            if let topic = TopicName(quoted.text) { return .topic(topic) }
            let prefix = quoted.text.hasPrefix(TopicName.prefix) ? TopicName.prefix.utf8.count : 0
            throw fault(ofName: quoted, skipping: prefix, maximumBytes: TopicName.maximumBytes)
        case "groups":
            if let group = GroupName(quoted.text) { return .group(group) }
            throw fault(ofName: quoted, skipping: 0, maximumBytes: GroupName.maximumBytes)
        default:
            throw fault("'topics' or 'groups'", at: kind.start)
        }
    }

    /// Makes the error of a name of allowed bytes: it is empty, begins with a slash or is too long.
    private func fault(ofName quoted: Piece, skipping prefix: Int, maximumBytes: Int) -> ConditionError {
        let name = quoted.text.utf8.dropFirst(prefix)
        let start = quoted.start + prefix
        if name.isEmpty { return fault("a name", at: start) }
        if name.first == UInt8(ascii: "/") { return fault("a name that does not begin with '/'", at: start) }
        return fault("the end of a name of at most \(maximumBytes) bytes", at: start + maximumBytes)
    }

    // MARK: key == 'value'

    private mutating func comparison() throws(ConditionError) -> Condition.Node {
        let name = word()
        let isNegated: Bool
        if consume("==") {
            isNegated = false
        } else if consume("!=") {
            isNegated = true
        } else if name.text == "all" {
            return .set(.all)
        } else {
            throw fault("'==' or '!='")
        }
        guard let key = AttributeKey(name.text) else {
            let limit = AttributeKey.maximumBytes
            throw fault("the end of an attribute's key of at most \(limit) bytes", at: name.start + limit)
        }
        skipSpace()
        guard let byte = peek, Self.isQuote(byte) else { throw fault("a value in quotes") }
        let set = Condition.Node.set(.attribute(key, try value(try quotedText(), of: key)))
        return isNegated ? .not(set) : set
    }

    /// Returns the value of an attribute in a form that a device can have. Any other form is an error: it would select
    /// no device.
    private func value(_ quoted: Piece, of key: AttributeKey) throws(ConditionError) -> AttributeValue {
        var text = quoted.text
        switch key {
        case .locale:
            guard DeviceFieldSyntax.isLanguageTag(text) else {
                throw fault("a language tag, such as 'zh' or 'zh-Hant'", at: quoted.start)
            }
            text = text.lowercased()
        case .environment:
            guard APNsEnvironment(name: text) != nil else { throw fault("'production' or 'sandbox'", at: quoted.start) }
        case .kind:
            guard TokenKind(name: text) != nil else {
                throw fault("a token kind, such as 'device' or 'voip'", at: quoted.start)
            }
        default:
            break
        }
        guard let value = AttributeValue(text) else {
            let limit = AttributeValue.maximumBytes
            throw text.isEmpty
                ? fault("a value", at: quoted.start)
                : fault("the end of a value of at most \(limit) bytes", at: quoted.start + limit)
        }
        return value
    }

    // MARK: Words and marks

    /// A part of the text, with its start.
    private struct Piece {
        let start: Int
        let text: String
    }

    /// Takes the text between the quote at `offset` and the next quote of the same kind.
    private mutating func quotedText() throws(ConditionError) -> Piece {
        let quote = bytes[offset]
        offset += 1
        let piece = run(of: NameAlphabet.isInName)
        guard peek == quote else {
            let mark = quote == UInt8(ascii: "'") ? "a single quote" : "a double quote"
            throw fault("a letter, a digit, one of -_.~%/:@+ or \(mark)")
        }
        offset += 1
        return piece
    }

    /// Takes the longest run of bytes that a key may contain, after white space; empty if no such byte follows.
    private mutating func word() -> Piece {
        skipSpace()
        return run(of: NameAlphabet.isInKey)
    }

    private mutating func run(of isAllowed: (UInt8) -> Bool) -> Piece {
        let start = offset
        while let byte = peek, isAllowed(byte) { offset += 1 }
        return Piece(start: start, text: String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    private mutating func consume(_ mark: StaticString) -> Bool {
        skipSpace()
        let end = offset + mark.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        let found = mark.withUTF8Buffer { $0.elementsEqual(bytes[offset..<end]) }
        if found { offset = end }
        return found
    }

    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") }

    private func fault(_ expected: String) -> ConditionError { fault(expected, at: offset) }

    private func fault(_ expected: String, at position: Int) -> ConditionError {
        ConditionError(column: position + 1, expected: expected)
    }
}
