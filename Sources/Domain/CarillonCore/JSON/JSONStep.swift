/// A step from a value of JSON to one that it contains.
package enum JSONStep: Hashable, Sendable {
    /// A step to the member of that name.
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
            _ = try value(depth: 1)
        } while try reader.takeComma(orEnd: "}")
        return nil
    }

    private mutating func findItem(_ wanted: Int, then rest: ArraySlice<JSONStep>) throws(JSONSyntaxError) -> Int? {
        for _ in 0..<wanted {
            _ = try value(depth: 1)
            guard try reader.takeComma(orEnd: "]") else { return nil }
        }
        return try find(rest)
    }
}
