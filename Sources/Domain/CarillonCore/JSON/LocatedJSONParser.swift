/// A parser of any one JSON text (RFC 8259), such as a request of HTTP, within bounds of depth and of the number of
/// values. A value keeps its place, and a number its digits; ``JSONObjectParser`` keeps neither.
///
/// Bytes of a peer never trap, and cost memory in proportion to their number. Duplicate names in an object, lone
/// surrogates and bytes that are not UTF-8 are refused.
package struct LocatedJSONParser {
    /// The deepest nesting: a payload may have 32 levels, and stands within a list of a request.
    package static let maximumDepth = 40
    /// The most values of a text: a batch of 1,000 registrations with everything that they can have is within it.
    package static let maximumValues = 200_000

    private var reader: JSONReader
    private var values = 0

    /// Parses a text that has one value and nothing else.
    package static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> LocatedJSON {
        var parser = LocatedJSONParser(reader: JSONReader(bytes))
        let node = try parser.readValue(depth: 1)
        try parser.reader.takeEnd()
        return node
    }

    private mutating func readValue(depth: Int) throws(JSONSyntaxError) -> LocatedJSON {
        reader.skipSpace()
        let start = reader.offset
        values += 1
        guard values <= Self.maximumValues else {
            throw JSONSyntaxError("there are more than \(Self.maximumValues) values", at: start)
        }
        guard depth <= Self.maximumDepth else { throw .nestedTooDeep(Self.maximumDepth, at: start) }
        let value: LocatedJSON.Value =
            switch try reader.takeToken() {
            case .object: .object(try members(depth: depth))
            case .array: .array(try items(depth: depth))
            case .string(let text): .string(text)
            case .number(let digits): .number(digits)
            case .bool(let value): .bool(value)
            case .null: .null
            }
        return LocatedJSON(value, range: start..<reader.offset)
    }

    private mutating func items(depth: Int) throws(JSONSyntaxError) -> [LocatedJSON] {
        var items: [LocatedJSON] = []
        if reader.takeEmpty("]") { return items }
        repeat { items.append(try readValue(depth: depth + 1)) } while try reader.takeComma(orEnd: "]")
        return items
    }

    private mutating func members(depth: Int) throws(JSONSyntaxError) -> [LocatedJSON.Member] {
        var members: [LocatedJSON.Member] = []
        var names: Set<JSONName> = []
        if reader.takeEmpty("}") { return members }
        repeat {
            reader.skipSpace()
            let start = reader.offset
            let name = try reader.takeName()
            guard names.insert(JSONName(name)).inserted else { throw .duplicateName(at: start) }
            try reader.takeColon()
            members.append(LocatedJSON.Member(name: name, value: try readValue(depth: depth + 1)))
        } while try reader.takeComma(orEnd: "}")
        return members
    }

    /// Returns a JSON text without the white space outside of its strings; `text` must be valid.
    package static func compact(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var isString = false
        var isEscape = false
        for byte in text {
            if !isString, JSONReader.isSpace(byte) { continue }
            result.append(byte)
            if isEscape {
                isEscape = false
            } else if byte == UInt8(ascii: "\\") {
                isEscape = true
            } else if byte == UInt8(ascii: "\"") {
                isString.toggle()
            }
        }
        return result
    }
}
