/// A strict parser of one JSON object: a payload, a file, a provider's answer. It refuses duplicate names, lone
/// surrogates and deep nesting. ``LocatedJSONParser`` also keeps where each value stands and how a number is written.
///
/// Foundation's parser silently takes the last of two equal names, so it cannot check what a provider will receive.
/// The memory is proportional to the payload, whose size the caller limits.
package struct JSONObjectParser {
    var reader: JSONReader

    /// Parses `payload`, which must be one object.
    package static func parse(_ payload: [UInt8]) throws(JSONError) -> [String: JSONValue] {
        var parser = JSONObjectParser(bytes: payload)
        guard parser.reader.isUTF8 else { throw .encoding }
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try parser.readValue(depth: 1)
            if value.members != nil { try parser.reader.takeEnd() }
        } catch {
            throw error.kind
        }
        guard let members = value.members else { throw .notAnObject }
        return members
    }

    init(bytes: [UInt8]) {
        reader = JSONReader(bytes)
    }

    mutating func readValue(depth: Int) throws(JSONSyntaxError) -> JSONValue {
        switch try reader.takeToken() {
        case .object: .object(try members(depth: depth))
        case .array: .array(try items(depth: depth))
        case .string(let text): .text(text)
        case .number(let digits): try number(digits)
        case .bool(let value): .bool(value)
        case .null: .null
        }
    }

    private mutating func members(depth: Int) throws(JSONSyntaxError) -> [String: JSONValue] {
        try check(depth)
        var members: [String: JSONValue] = [:]
        // Nil until a name is not ASCII: of ASCII names, the keys of the dictionary are equal exactly if JSON calls
        // them equal.
        var names: Set<JSONName>?
        if reader.takeEmpty("}") { return members }
        repeat {
            reader.skipSpace()
            let start = reader.offset
            let name = try reader.takeName()
            try reader.takeColon()
            let value = try readValue(depth: depth + 1)
            if names == nil, !name.utf8.allSatisfy({ $0 < 0x80 }) { names = Set(members.keys.map { JSONName($0) }) }
            let isNew = names?.insert(JSONName(name)).inserted
            let isKnown = members.updateValue(value, forKey: name) != nil
            guard isNew ?? !isKnown else { throw .duplicateName(at: start) }
        } while try reader.takeComma(orEnd: "}")
        return members
    }

    private mutating func items(depth: Int) throws(JSONSyntaxError) -> [JSONValue] {
        try check(depth)
        var items: [JSONValue] = []
        if reader.takeEmpty("]") { return items }
        repeat { items.append(try readValue(depth: depth + 1)) } while try reader.takeComma(orEnd: "]")
        return items
    }

    /// Refuses an object or array that is nested too deep.
    private func check(_ depth: Int) throws(JSONSyntaxError) {
        guard depth > JSONValue.maximumDepth else { return }
        throw .nestedTooDeep(JSONValue.maximumDepth, at: reader.offset - 1)
    }

    private func number(_ digits: String) throws(JSONSyntaxError) -> JSONValue {
        if let whole = Int64(digits) { return .integer(whole) }
        // The grammar has no limit, but parsers on devices reject a number beyond Double, and with it the whole push.
        guard let value = Double(digits), value.isFinite else {
            throw JSONSyntaxError("a number is too large", at: reader.offset - digits.utf8.count)
        }
        return .number(value)
    }
}

/// A step from a value of JSON to one that it contains.
package enum JSONStep: Hashable, Sendable {
    case name(String)
    /// A step to an item of an array; the first is 0.
    case index(Int)
}

extension [JSONStep] {
    /// The path of these steps in one text: `principals[1].name`.
    package var text: String {
        reduce(into: "") { text, step in
            switch step {
            case .name(let name): text += text.isEmpty ? name : "." + name
            case .index(let index): text += "[\(index)]"
            }
        }
    }
}

extension JSONObjectParser {
    /// Returns the offset of the value at the end of a path: of the item, or of the name of the member. Returns nil if
    /// the path leads to no value.
    package static func offset(of path: [JSONStep], in payload: [UInt8]) -> Int? {
        var parser = JSONObjectParser(bytes: payload)
        // Why try?: a payload that is not JSON has no value at any path.
        return try? parser.find(path[...])
    }

    private mutating func find(_ path: ArraySlice<JSONStep>) throws(JSONSyntaxError) -> Int? {
        reader.skipSpace()
        guard let step = path.first else { return reader.offset }
        switch (step, try reader.takeToken()) {
        case (.name(let wanted), .object): return try findMember(wanted, then: path.dropFirst())
        case (.index(let wanted), .array): return try findItem(wanted, then: path.dropFirst())
        default: return nil
        }
    }

    private mutating func findMember(_ wanted: String, then rest: ArraySlice<JSONStep>) throws(JSONSyntaxError) -> Int?
    {
        if reader.takeEmpty("}") { return nil }
        repeat {
            reader.skipSpace()
            let start = reader.offset
            let name = try reader.takeName()
            try reader.takeColon()
            if name == wanted { return rest.isEmpty ? start : try find(rest) }
            _ = try readValue(depth: 1)
        } while try reader.takeComma(orEnd: "}")
        return nil
    }

    private mutating func findItem(_ wanted: Int, then rest: ArraySlice<JSONStep>) throws(JSONSyntaxError) -> Int? {
        for _ in 0..<wanted {
            _ = try readValue(depth: 1)
            guard try reader.takeComma(orEnd: "]") else { return nil }
        }
        return try find(rest)
    }
}
