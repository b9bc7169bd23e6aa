import ArgumentParser
import CarillonCommandLine
import CarillonCore

/// The format of the lines of a file.
enum LineFormat: Equatable {
    /// The format with a JSON object on each line.
    case json
    /// The format of values separated by commas (RFC 4180), named by the file's first line. A value must not contain a
    /// line break.
    case csv([Column])

    /// The meaning of a value of a line.
    enum Column: Equatable {
        case field(String)
        /// A list of names, of topics or of groups.
        case list(String)
        /// A list of attributes.
        case attributes
        /// One attribute, from a column `attributes.KEY`.
        case attribute(String)
        /// The reason for which an earlier import refused the line.
        case refused
    }

    /// Reads the columns that the first line of a file names.
    static func csv(header: [UInt8]) throws -> LineFormat {
        let names: [String]
        do {
            names = try values(of: header[...])
        } catch {
            throw ValidationError("Line 1 does not name the columns: \(error.message).")
        }
        let columns = try names.map { name in
            let name = name.filter { $0 != " " }
            if let key = name.removing(prefix: "attributes."), !key.isEmpty { return Column.attribute(String(key)) }
            if name == RegistrationLine.refused { return Column.refused }
            guard RegistrationLine.names.contains(name) else {
                let known = RegistrationLine.names.joined(separator: ", ")
                throw ValidationError("The column '\(name)' is not one of \(known), attributes.KEY.")
            }
            return switch name {
            case "topics", "groups": Column.list(name)
            case "attributes": Column.attributes
            default: Column.field(name)
            }
        }
        guard columns.contains(.field("token")) || columns.contains(.field("subscription")) else {
            throw ValidationError("There is no column token.")
        }
        for (index, column) in columns.enumerated() where columns[..<index].contains(column) {
            throw ValidationError("The column '\(names[index])' is there twice.")
        }
        return .csv(columns)
    }

    /// Returns the named values of a line.
    func members(of line: ArraySlice<UInt8>) throws(RegistrationLine.ParseError) -> [String: JSONValue] {
        guard line.count <= RegistrationLine.maximumBytes else {
            throw RegistrationLine.ParseError("longer than \(RegistrationLine.maximumBytes) bytes")
        }
        switch self {
        case .json:
            do throws(JSONError) {
                return try JSONObjectParser.parse(Array(line))
            } catch {
                throw RegistrationLine.ParseError(error.sentence)
            }
        case .csv(let columns): return try Self.members(try Self.values(of: line), by: columns)
        }
    }

    /// Returns the values of a line by name. An empty value counts as missing.
    private static func members(
        _ values: [String],
        by columns: [Column]
    ) throws(RegistrationLine.ParseError) -> [String: JSONValue] {
        guard values.count == columns.count else {
            throw RegistrationLine.ParseError("\(values.count) values; the first line names \(columns.count)")
        }
        var members = [String: JSONValue](minimumCapacity: columns.count)
        var attributes: [String: JSONValue] = [:]
        for (column, value) in zip(columns, values) where !value.isEmpty {
            switch column {
            case .refused: break
            case .field(let name): members[name] = .text(value)
            case .list(let name): members[name] = .array(parts(of: value).map { .text(String($0)) })
            case .attributes:
                for part in parts(of: value) {
                    let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    guard pair.count == 2,
                        attributes.updateValue(.text(String(pair[1])), forKey: String(pair[0])) == nil
                    else {
                        throw RegistrationLine.ParseError(field: "attributes", "not KEY=VALUE;KEY=VALUE, each key once")
                    }
                }
            case .attribute(let key):
                guard attributes.updateValue(.text(value), forKey: key) == nil else {
                    throw RegistrationLine.ParseError(field: "attributes", "\(key) is there twice")
                }
            }
        }
        if !attributes.isEmpty { members["attributes"] = .object(attributes) }
        return members
    }

    /// Returns the items of a value, separated by semicolons or spaces.
    private static func parts(of value: String) -> [Substring] {
        value.split { $0 == ";" || $0 == " " }
    }

    /// Returns the values of a line, without their quotation marks.
    static func values(of line: ArraySlice<UInt8>) throws(RegistrationLine.ParseError) -> [String] {
        let comma = UInt8(ascii: ",")
        let mark = UInt8(ascii: "\"")
        var values: [String] = []
        var remainder = line
        while true {
            var value = remainder.prefix { $0 != comma }
            if remainder.first == mark {
                value = []
                remainder.removeFirst()
                while true {
                    guard let end = remainder.firstIndex(of: mark) else {
                        throw RegistrationLine.ParseError("a quotation mark is not closed on the line")
                    }
                    value += remainder[..<end]
                    remainder = remainder[(end + 1)...]
                    guard remainder.first == mark else { break }
                    value.append(mark)
                    remainder.removeFirst()
                }
                guard remainder.isEmpty || remainder.first == comma else {
                    throw RegistrationLine.ParseError("there is text between a quotation mark and the comma")
                }
            } else {
                remainder = remainder[value.endIndex...]
            }
            guard let text = String(validating: value, as: UTF8.self) else {
                throw RegistrationLine.ParseError("not UTF-8")
            }
            values.append(text)
            guard remainder.popFirst() != nil else { return values }
        }
    }
}

extension JSONError {
    /// The reason why a line is not a JSON object, for human readers; the first byte is 1.
    fileprivate var sentence: String {
        switch self {
        case .syntax(let offset): "not JSON at byte \(offset + 1)"
        case .notAnObject: "not a JSON object"
        case .duplicateName(let offset): "an object has the same name twice, at byte \(offset + 1)"
        case .tooDeep(let offset): "nested too deep at byte \(offset + 1)"
        case .loneSurrogate(let offset): "half a surrogate pair at byte \(offset + 1)"
        case .encoding: "not UTF-8"
        }
    }
}
