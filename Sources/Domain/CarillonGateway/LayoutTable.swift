import CarillonCore
import CarillonWire

/// The layouts of all requests and answers, read from the text of `Protocol/layouts.json`.
package struct LayoutTable: Sendable {
    /// The layouts of one operation of the protocol.
    struct Operation: Hashable, Sendable {
        /// The name, as in the path of the service API.
        var name: String
        var opcode: Opcode
        /// True if the request changes nothing.
        var isReadOnly: Bool
        /// True if the request belongs to one connection of the protocol, so that JSON has no such request.
        var isOfConnection: Bool
        var request: PayloadLayout
        var answer: PayloadLayout
    }

    /// The error of a text that cannot be read as layouts.
    struct ReadError: Error, Hashable, Sendable {
        var text: String
    }

    package static let builtIn: LayoutTable = {
        do throws(ReadError) {
            return try LayoutTable(layouts: Array(EmbeddedLayouts.json.utf8))
        } catch {
            // The text is a part of the program, and a test reads it.
            preconditionFailure("the built-in layouts cannot be read: \(error.text)")
        }
    }()

    /// All operations, ascending by opcode.
    let operations: [Operation]
    let event: PayloadLayout
    let error: PayloadLayout
    private let byName: [String: Int]

    /// The operations that JSON has, ascending by opcode.
    var served: [Operation] { operations.filter { !$0.isOfConnection } }

    /// Returns the operation of that name; nil if no operation has it.
    func operation(named name: String) -> Operation? { byName[name].map { operations[$0] } }

    /// Reads the text of `Protocol/layouts.json`.
    init(layouts text: [UInt8]) throws(ReadError) {
        let root: LocatedJSON
        do throws(JSONSyntaxError) {
            root = try LocatedJSONParser.parse(text)
        } catch {
            throw ReadError(text: "byte \(error.offset): \(error.text)")
        }
        let reader = try LayoutReader(root)
        operations = try reader.operations().sorted { $0.opcode < $1.opcode }
        event = try reader.layout(try reader.member("event", of: root), of: "event", tagged: [])
        error = try reader.layout(try reader.member("error", of: root), of: "error", tagged: [])
        byName = Dictionary(operations.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }
}

/// A reader of the parts of `Protocol/layouts.json`.
private struct LayoutReader {
    typealias ReadError = LayoutTable.ReadError

    private let root: LocatedJSON
    private let enumerations: [String: Enumeration]
    private let forms: [String: String]

    init(_ root: LocatedJSON) throws(ReadError) {
        self.root = root
        var enumerations: [String: Enumeration] = [:]
        for each in root["enumerations"]?.members ?? [] {
            var words: [Enumeration.Word] = []
            for member in each.value.members ?? [] {
                guard let number = UInt64(member.name), let word = member.value.text else {
                    throw ReadError(text: "the enumeration \(each.name)")
                }
                words.append(Enumeration.Word(number: number, word: word))
            }
            enumerations[each.name] = Enumeration(name: each.name, words: words.sorted { $0.number < $1.number })
        }
        self.enumerations = enumerations
        var forms: [String: String] = [:]
        for each in root["json"]?.members ?? [] { forms[each.name] = each.value.text }
        self.forms = forms
    }

    func member(_ name: String, of node: LocatedJSON) throws(ReadError) -> LocatedJSON {
        guard let member = node[name] else { throw ReadError(text: "there is no \(name)") }
        return member
    }

    func operations() throws(ReadError) -> [LayoutTable.Operation] {
        let common = try member("common_tags", of: root)
        var operations: [LayoutTable.Operation] = []
        for each in try member("requests", of: root).items ?? [] {
            guard let name = each["name"]?.text, let opcode = each["opcode"]?.wholeNumber,
                let repeating = each["repeat"]?.text
            else { throw ReadError(text: "a request") }
            operations.append(
                LayoutTable.Operation(
                    name: name, opcode: Opcode(rawValue: UInt16(truncatingIfNeeded: opcode)),
                    isReadOnly: repeating == "read", isOfConnection: repeating == "connection",
                    request: try layout(try member("request", of: each), of: name, tagged: common.items ?? []),
                    answer: try layout(try member("answer", of: each), of: name, tagged: [])))
        }
        return operations
    }

    /// Reads the layout of a payload.
    ///
    /// - Parameters:
    ///   - payload: the name of the request, `event` or `error`.
    ///   - common: further fields of the tagged section.
    func layout(_ node: LocatedJSON, of payload: String, tagged common: [LocatedJSON]) throws(ReadError)
        -> PayloadLayout
    {
        var layout = PayloadLayout()
        layout.fixed = try fields(try member("fixed", of: node).items ?? [], of: payload)
        for each in common + (node["tags"]?.items ?? []) {
            guard let parts = each.items, parts.count == 3, let number = parts[0].wholeNumber else {
                throw ReadError(text: "a tag of \(payload)")
            }
            let field = try fields([LocatedJSON(.array(Array(parts[1...])), range: each.range)], of: payload)[0]
            layout.tags.append(PayloadLayout.Tag(number: UInt32(truncatingIfNeeded: number), field: field))
        }
        layout.tags.sort { $0.number < $1.number }
        return layout
    }

    private func fields(_ nodes: [LocatedJSON], of path: String) throws(ReadError) -> [PayloadLayout.Field] {
        var fields: [PayloadLayout.Field] = []
        for node in nodes {
            guard let parts = node.items, parts.count == 2, let name = parts[0].text else {
                throw ReadError(text: "a field of \(path)")
            }
            fields.append(PayloadLayout.Field(name: name, type: try type(parts[1], at: "\(path).\(name)")))
        }
        return fields
    }

    private func type(_ node: LocatedJSON, at path: String) throws(ReadError) -> FieldType {
        if let item = node["list"] { return .list(try type(item, at: path)) }
        if let parts = node["struct"]?.items { return .structure(try fields(parts, of: path)) }
        switch node.text {
        case "u8": return .number(bytes: 1, try numberForm(at: path))
        case "u16": return .number(bytes: 2, try numberForm(at: path))
        case "u32": return .number(bytes: 4, .number)
        case "u64": return .number(bytes: 8, formName(at: path) == "cursor" ? .cursor : .number)
        case "str", "topic": return .text
        case "uuid": return .uuid
        case "token": return .token
        case "device": return .device
        case "bytes": return .bytes(try bytesForm(at: path))
        default: throw ReadError(text: "the type of \(path)")
        }
    }

    /// Returns the form of a field: the form of its whole path, else of its payload and its name, else of its name.
    private func formName(at path: String) -> String? {
        let parts = path.split(separator: ".")
        return forms[path] ?? forms["\(parts[0]).\(parts[parts.count - 1])"] ?? forms[String(parts[parts.count - 1])]
    }

    private func numberForm(at path: String) throws(ReadError) -> NumberForm {
        guard let form = formName(at: path) else { return .number }
        if form == "boolean" { return .boolean }
        if form == "request" { return .request }
        let flags = form.removing(prefix: "flags ").map(String.init)
        guard let enumeration = enumerations[flags ?? form] else {
            throw ReadError(text: "the form \(form) of \(path)")
        }
        return flags == nil ? .word(of: enumeration) : .flags(of: enumeration)
    }

    private func bytesForm(at path: String) throws(ReadError) -> BytesForm {
        guard let form = formName(at: path) else { return .plain }
        if form == "payload" { return .payload }
        if let request = form.removing(prefix: "request ") { return .request(String(request)) }
        if let request = form.removing(prefix: "answer ") { return .answer(String(request)) }
        throw ReadError(text: "the form \(form) of \(path)")
    }
}
