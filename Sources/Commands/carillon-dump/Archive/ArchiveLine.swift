import CarillonCommandLine
import CarillonCore

/// One line of an export, a JSON object.
struct ArchiveLine {
    private let members: [String: JSONValue]

    /// The longest line, in bytes: a device in 1,000 groups with 2,000 topics takes less.
    static let maximumBytes = 4 << 20

    init(_ bytes: [UInt8]) throws(ArchiveError) {
        do throws(JSONError) {
            members = try JSONObjectParser.parse(bytes)
        } catch {
            throw ArchiveError("not a JSON object")
        }
    }

    func has(_ name: String) -> Bool { members[name] != nil }

    func text(_ name: String) throws(ArchiveError) -> String {
        guard let text = members[name]?.string else { throw ArchiveError("\(name) is missing or not a string") }
        return text
    }

    func number(_ name: String) throws(ArchiveError) -> UInt64 {
        guard case .integer(let number) = members[name], number >= 0 else {
            throw ArchiveError("\(name) is missing or not a number")
        }
        return UInt64(number)
    }

    func time(_ name: String) throws(ArchiveError) -> Timestamp { Timestamp(milliseconds: try number(name)) }

    /// Returns the value that `convert` makes from a string.
    func value<T>(_ name: String, _ convert: (String) -> T?) throws(ArchiveError) -> T {
        guard let value = convert(try text(name)) else { throw ArchiveError("\(name) has a value that is not allowed") }
        return value
    }

    /// Returns a flag; false if the object lacks it.
    func flag(_ name: String) throws(ArchiveError) -> Bool {
        switch members[name] {
        case nil: return false
        case .bool(let flag): return flag
        default: throw ArchiveError("\(name) is neither true nor false")
        }
    }

    /// Returns a list of values that `convert` makes; empty if the object lacks it.
    func list<T>(_ name: String, limit: Int, _ convert: (JSONValue) -> T?) throws(ArchiveError) -> [T] {
        guard let value = members[name] else { return [] }
        guard case .array(let items) = value, items.count <= limit else {
            throw ArchiveError("\(name) is not a list of at most \(limit)")
        }
        let list = items.compactMap(convert)
        guard list.count == items.count else { throw ArchiveError("\(name) has a value that is not allowed") }
        return list
    }

    /// Returns strings by name; empty if the object lacks them.
    func texts(_ name: String) throws(ArchiveError) -> [(name: String, text: String)] {
        guard let value = members[name] else { return [] }
        guard let members = value.members else { throw ArchiveError("\(name) is not an object") }
        let texts = members.compactMap { member in member.value.string.map { (name: member.key, text: $0) } }
        guard texts.count == members.count else { throw ArchiveError("\(name) has a value that is not allowed") }
        return texts
    }
}

/// The reason why an export cannot be read.
struct ArchiveError: Error, Equatable {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}
