import CarillonCore
import CarillonWire

/// Encodes a request: makes the payload of a frame from JSON.
///
/// An absent or null field is written as 0 or empty, and the server judges that. An absent `limit` is 100. The encoder
/// refuses only fields that the request does not have, and values that have no form on the wire, such as an absent
/// token. The server checks all other values.
struct RequestEncoder {
    /// The number of rows of a page if the request does not say.
    static let defaultPageRows: UInt64 = 100

    private let table: LayoutTable
    /// The whole text: payloads are taken from it as they stand.
    private let text: [UInt8]
    private var payload: [UInt8] = []
    /// The kind of the tokens that follow; a payload has it before them.
    private var tokenKind = TokenKind.device

    private init(_ table: LayoutTable, text: [UInt8]) {
        self.table = table
        self.text = text
    }

    /// Makes the payload of a request.
    ///
    /// - Parameters:
    ///   - body: the fields.
    ///   - text: the text that `body` was read from.
    static func payload(
        of layout: PayloadLayout, body: LocatedJSON, text: [UInt8], in table: LayoutTable
    ) throws(GatewayError) -> [UInt8] {
        guard let members = body.members else { throw .malformed("the body must be an object, and is \(body.kind)") }
        var encoder = RequestEncoder(table, text: text)
        try encoder.appendPayload(members, as: layout)
        return encoder.payload
    }

    private mutating func appendPayload(_ members: [LocatedJSON.Member], as layout: PayloadLayout) throws(GatewayError)
    {
        let known = layout.fields.map(\.name)
        if let unknown = members.first(where: { !known.contains($0.name) }) {
            throw .invalid("there is no field \(Self.quoted(unknown.name))", field: Self.shortened(unknown.name))
        }
        func node(_ name: String) -> LocatedJSON? {
            members.first { $0.name == name }.flatMap { $0.value.value == .null ? nil : $0.value }
        }
        for field in layout.fixed {
            try attributing(to: field.name) { encoder throws(GatewayError) in
                try encoder.append(node(field.name), of: field, length: .withLength)
            }
        }
        let present = layout.tags.filter { node($0.field.name) != nil }
        guard !present.isEmpty else { return }
        appendUvarint(UInt32(present.count))
        for each in present {
            appendUvarint(each.number)
            let before = payload
            payload = []
            try attributing(to: each.field.name) { encoder throws(GatewayError) in
                try encoder.append(node(each.field.name), of: each.field, length: .withoutLength)
            }
            let value = payload
            payload = before
            appendUvarint(UInt32(value.count))
            payload += value
        }
    }

    /// Adds the name of the outermost field to an error.
    private mutating func attributing(
        to field: String, _ body: (inout RequestEncoder) throws(GatewayError) -> Void
    ) throws(GatewayError) {
        do throws(GatewayError) {
            try body(&self)
        } catch {
            var error = error
            error.field = field
            throw error
        }
    }

    // MARK: Values

    /// The rule for the length of a value: written before it, or not.
    private enum LengthRule {
        case withLength
        /// The value of a tag, which ends where the field ends.
        case withoutLength
    }

    private mutating func append(
        _ node: LocatedJSON?, of field: PayloadLayout.Field, length: LengthRule
    ) throws(GatewayError) {
        guard let node else { return try appendAbsent(field) }
        try append(node, as: field.type, length: length)
    }

    /// Appends the value of a field that the request does not have.
    private mutating func appendAbsent(_ field: PayloadLayout.Field) throws(GatewayError) {
        switch field.type {
        case .number(let bytes, _): appendNumber(field.name == "limit" ? Self.defaultPageRows : 0, bytes: bytes)
        case .text: payload += [0, 0]
        case .uuid: payload += [UInt8](repeating: 0, count: 16)
        // The wire has no empty token and no empty device.
        case .token, .device: throw .invalid("it is missing")
        case .bytes, .list: payload += [0, 0, 0, 0]
        case .structure(let fields): for each in fields { try appendAbsent(each) }
        }
    }

    private mutating func append(
        _ node: LocatedJSON, as type: FieldType, length: LengthRule
    ) throws(GatewayError) {
        switch type {
        case .number(let bytes, let form):
            let value = try numberValue(node, as: form, bytes: bytes)
            if case .word(let enumeration) = form, enumeration.name == table.tokenKinds.name { noteTokenKind(value) }
            appendNumber(value, bytes: bytes)
        case .text:
            let bytes = Array(try string(node).utf8)
            guard bytes.count <= Int(UInt16.max) else { throw .invalid("the text is too long") }
            if length == .withLength { appendNumber(UInt64(bytes.count), bytes: 2) }
            payload += bytes
        case .uuid:
            guard let uuid = UUIDBytes(try string(node)) else {
                throw .invalid("a UUID is expected, as 8-4-4-4-12 digits")
            }
            payload += uuid.bytes
        case .token: try appendToken(node, length: length)
        case .device: try appendDevice(node)
        case .bytes(let form):
            let bytes = try bytesValue(node, as: form)
            if length == .withLength { appendNumber(UInt64(bytes.count), bytes: 4) }
            payload += bytes
        case .list(let item):
            guard let items = node.items else { throw .invalid("a list is expected, not \(node.kind)") }
            appendNumber(UInt64(items.count), bytes: 4)
            for (index, each) in items.enumerated() {
                do throws(GatewayError) {
                    try append(each, as: item, length: .withLength)
                } catch {
                    var error = error
                    error.item = UInt64(index)
                    throw error
                }
            }
        case .structure(let fields): try appendStructure(node, as: fields)
        }
    }

    private mutating func appendStructure(_ node: LocatedJSON, as fields: [PayloadLayout.Field]) throws(GatewayError) {
        guard let members = node.members else { throw .invalid("an object is expected, not \(node.kind)") }
        if let unknown = members.first(where: { member in !fields.contains { $0.name == member.name } }) {
            throw .invalid("there is no field \(Self.quoted(unknown.name))")
        }
        for field in fields {
            let member = members.first { $0.name == field.name }?.value
            try append(member?.value == .null ? nil : member, of: field, length: .withLength)
        }
    }

    private func numberValue(_ node: LocatedJSON, as form: NumberForm, bytes: Int) throws(GatewayError) -> UInt64 {
        let number: UInt64
        switch form {
        case .number, .cursor: number = try wholeNumber(node)
        case .boolean:
            guard case .bool(let flag) = node.value else { throw .invalid("true or false is expected") }
            number = flag ? 1 : 0
        case .word(let enumeration): number = try word(node, of: enumeration)
        case .flags(let enumeration):
            guard let items = node.items else { throw .invalid("a list of words is expected") }
            var sum: UInt64 = 0
            for item in items { sum |= try word(item, of: enumeration) }
            number = sum
        case .request:
            if let opcode = node.wholeNumber {
                number = opcode
            } else {
                guard let operation = table.operation(named: try string(node)) else {
                    throw .invalid("there is no such request")
                }
                number = UInt64(operation.opcode.rawValue)
            }
        }
        guard bytes == 8 || number < 1 << (8 * bytes) else {
            throw .invalid("the number is above \((UInt64(1) << (8 * bytes)) - 1)")
        }
        return number
    }

    private func wholeNumber(_ node: LocatedJSON) throws(GatewayError) -> UInt64 {
        guard let number = node.wholeNumber else {
            throw .invalid("a whole number from 0 to \(UInt64.max) is expected")
        }
        return number
    }

    /// Returns the number of a word; a number is taken as it is, so that a client can use one that has no word here.
    private func word(_ node: LocatedJSON, of enumeration: Enumeration) throws(GatewayError) -> UInt64 {
        if case .string(let word) = node.value {
            if let number = enumeration.number(of: word) { return number }
            let words = enumeration.words.map(\.word).joined(separator: ", ")
            throw .invalid("there is no \(enumeration.name) \(Self.quoted(word)); it is one of \(words)")
        }
        return try wholeNumber(node)
    }

    private mutating func noteTokenKind(_ number: UInt64) {
        tokenKind = UInt8(exactly: number).flatMap(TokenKind.init(rawValue:)) ?? .device
    }

    /// Appends a token from its written form: of FCM as it stands, otherwise in hexadecimal.
    private mutating func appendToken(_ node: LocatedJSON, length: LengthRule) throws(GatewayError) {
        let text = try string(node)
        guard let bytes = tokenKind.hasTextTokens ? Array(text.utf8) : Hex.bytes(text) else {
            throw .invalid("a token is hexadecimal digits")
        }
        guard (1...DeviceToken.maximumBytes).contains(bytes.count) else {
            throw .invalid("a token has 1 to \(DeviceToken.maximumBytes) bytes")
        }
        if length == .withLength { payload.append(UInt8(bytes.count)) }
        payload += bytes
    }

    /// Appends a device. One by id is a number, or a string of digits; one by token is an object.
    private mutating func appendDevice(_ node: LocatedJSON) throws(GatewayError) {
        if let id = node.wholeNumber {
            payload.append(2)
            return appendNumber(id, bytes: 8)
        }
        guard let members = node.members else {
            throw .invalid("a device is its id, or an object with environment, kind and token")
        }
        let fields = ["environment", "kind", "token"]
        if let unknown = members.first(where: { !fields.contains($0.name) }) {
            throw .invalid("a device has no field \(Self.quoted(unknown.name))")
        }
        guard let text = node["token"] else { throw .invalid("a device has a token, or is its id") }
        payload.append(1)
        for (name, enumeration) in [("environment", table.environments), ("kind", table.tokenKinds)] {
            // The defaults, both 1: `production`, and the kind `device`.
            let value = try node[name].map { node throws(GatewayError) in try word(node, of: enumeration) } ?? 1
            guard value <= 255 else { throw .invalid("the \(name) is above 255") }
            // The kind comes after the environment, so it is the value that stays noted.
            noteTokenKind(value)
            appendNumber(value, bytes: 1)
        }
        try appendToken(text, length: .withLength)
    }

    private func bytesValue(_ node: LocatedJSON, as form: BytesForm) throws(GatewayError) -> [UInt8] {
        switch form {
        case .plain:
            guard let bytes = Hex.bytes(try string(node)) else { throw .invalid("hexadecimal digits are expected") }
            return bytes
        case .payload:
            guard node.members != nil else { throw .invalid("a payload is a JSON object, not \(node.kind)") }
            return LocatedJSONParser.compact(text[node.range])
        case .request(let name), .answer(let name):
            guard let operation = table.operation(named: name) else { return [] }
            var layout = operation.request
            if case .answer = form { layout = operation.answer }
            return try Self.payload(of: layout, body: node, text: text, in: table)
        }
    }

    private func string(_ node: LocatedJSON) throws(GatewayError) -> String {
        guard let text = node.text else { throw .invalid("a string is expected, not \(node.kind)") }
        return text
    }

    // MARK: Bytes

    private mutating func appendNumber(_ value: UInt64, bytes: Int) {
        for index in (0..<bytes).reversed() { payload.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }

    private mutating func appendUvarint(_ value: UInt32) {
        var rest = value
        while rest >= 0x80 {
            payload.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        payload.append(UInt8(rest))
    }

    private static func shortened(_ text: String) -> String { text.count <= 64 ? text : text.prefix(64) + "…" }
    private static func quoted(_ text: String) -> String { "“\(shortened(text))”" }
}

extension LayoutTable {
    /// The environments, as the registration names them.
    var environments: Enumeration { enumeration(of: "environment") }
    /// The token kinds, as the registration names them.
    var tokenKinds: Enumeration { enumeration(of: "kind") }

    private func enumeration(of field: String) -> Enumeration {
        let found = operation(named: "register")?.request.fixed.first { $0.name == field }
        guard case .number(_, .word(let enumeration)) = found?.type else { return Enumeration(name: field, words: []) }
        return enumeration
    }
}
