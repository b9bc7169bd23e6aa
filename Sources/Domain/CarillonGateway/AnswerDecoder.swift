import CarillonCore
import CarillonWire

/// Decodes the payload of an answer, an error or an event, and writes it as JSON.
struct AnswerDecoder {
    /// The error for bytes that do not fit the layout.
    struct PayloadError: Error, Hashable, Sendable {}

    /// The most fields of the tagged section that are read.
    private static let maximumTags: UInt32 = 64

    private let table: LayoutTable
    private let bytes: [UInt8]
    private var offset: Int
    private let endOffset: Int
    private var output: JSONStreamWriter
    /// The kind of the tokens that follow; a payload has it before them.
    private var tokenKind = TokenKind.device

    /// Appends the fields of a payload as a JSON object.
    ///
    /// - Parameter range: the bytes of the payload.
    static func append(
        _ bytes: [UInt8], within range: Range<Int>, as layout: PayloadLayout, in table: LayoutTable,
        to output: inout JSONStreamWriter
    ) throws(PayloadError) {
        var decoder = AnswerDecoder(
            table: table, bytes: bytes, offset: range.lowerBound, endOffset: range.upperBound,
            output: JSONStreamWriter())
        // The output is swapped, not copied: with a second reference, the next byte would copy the whole text.
        swap(&decoder.output, &output)
        defer { swap(&decoder.output, &output) }
        try decoder.writePayload(layout)
    }

    /// Returns the fields of a payload as a JSON object.
    static func json(_ payload: [UInt8], as layout: PayloadLayout, in table: LayoutTable) throws(PayloadError)
        -> [UInt8]
    {
        var output = JSONStreamWriter()
        try append(payload, within: 0..<payload.count, as: layout, in: table, to: &output)
        return output.bytes
    }

    private mutating func writePayload(_ layout: PayloadLayout) throws(PayloadError) {
        output.beginObject()
        for field in layout.fixed {
            output.name(field.name)
            try writeValue(field.type, taggedByteCount: nil)
        }
        if offset < endOffset {
            let count = try readUvarint()
            for _ in 0..<min(count, Self.maximumTags) {
                let number = try readUvarint()
                let size = Int(try readUvarint())
                guard size <= endOffset - offset else { throw PayloadError() }
                let next = offset + size
                if let field = layout.tags.first(where: { $0.number == number })?.field {
                    output.name(field.name)
                    try writeValue(field.type, taggedByteCount: size)
                }
                offset = next
            }
        }
        output.endObject()
    }

    /// Writes a value as JSON.
    ///
    /// - Parameter taggedByteCount: the size of the value of a tag; nil for a value with a length of its own.
    private mutating func writeValue(_ type: FieldType, taggedByteCount: Int?) throws(PayloadError) {
        switch type {
        case .number(let bytes, let form):
            let number = try readNumber(byteCount: bytes)
            if case .word(let enumeration) = form, enumeration.name == table.tokenKinds.name { noteTokenKind(number) }
            writeNumber(number, as: form)
        case .text:
            output.string(String(decoding: try take(try readLength(taggedByteCount, byteCount: 2)), as: UTF8.self))
        case .uuid:
            let bytes = try take(16)
            output.string(UUIDBytes(Hex.string(bytes))?.description ?? "")
        case .token: writeToken(try take(try readLength(taggedByteCount, byteCount: 1)))
        case .device: try writeDevice()
        case .bytes(let form): try writeBytes(try readLength(taggedByteCount, byteCount: 4), as: form)
        case .list(let item):
            let count = try readNumber(byteCount: 4)
            // Each item has at least one byte.
            guard count <= UInt64(endOffset - offset) else { throw PayloadError() }
            output.beginArray()
            for _ in 0..<count { try writeValue(item, taggedByteCount: nil) }
            output.endArray()
        case .structure(let fields):
            output.beginObject()
            for field in fields {
                output.name(field.name)
                try writeValue(field.type, taggedByteCount: nil)
            }
            output.endObject()
        }
    }

    private mutating func noteTokenKind(_ number: UInt64) {
        tokenKind = UInt8(exactly: number).flatMap(TokenKind.init(rawValue:)) ?? .device
    }

    /// Writes a token in its written form: of FCM as it stands, otherwise in hexadecimal.
    private mutating func writeToken(_ bytes: ArraySlice<UInt8>) {
        let text = tokenKind.hasTextTokens ? String(validating: bytes, as: UTF8.self) : nil
        output.string(text ?? Hex.string(bytes))
    }

    private mutating func writeNumber(_ number: UInt64, as form: NumberForm) {
        switch form {
        case .number: output.number(number)
        case .cursor: output.string("\(number)")
        case .boolean: output.boolean(number != 0)
        case .word(let enumeration):
            if let word = enumeration.word(of: number) {
                output.string(word)
            } else if number == 0 {
                output.null()
            } else {
                output.number(number)
            }
        case .flags(let enumeration):
            output.beginArray()
            for bit in (0..<64).map({ UInt64(1) << $0 }) where number & bit != 0 {
                if let word = enumeration.word(of: bit) { output.string(word) } else { output.number(bit) }
            }
            output.endArray()
        case .request:
            if let operation = table.operations.first(where: { UInt64($0.opcode.rawValue) == number }) {
                output.string(operation.name)
            } else {
                output.number(number)
            }
        }
    }

    private mutating func writeDevice() throws(PayloadError) {
        switch try readNumber(byteCount: 1) {
        case 1:
            output.beginObject()
            for (name, enumeration) in [("environment", table.environments), ("kind", table.tokenKinds)] {
                output.name(name)
                let number = try readNumber(byteCount: 1)
                // The kind comes after the environment, so it is the value that stays noted.
                noteTokenKind(number)
                writeNumber(number, as: .word(of: enumeration))
            }
            output.name("token")
            try writeValue(.token, taggedByteCount: nil)
            output.endObject()
        case 2: output.number(try readNumber(byteCount: 8))
        default: throw PayloadError()
        }
    }

    private mutating func writeBytes(_ count: Int, as form: BytesForm) throws(PayloadError) {
        let start = offset
        let content = try take(count)
        switch form {
        case .plain: output.string(Hex.string(content))
        // An empty payload means that there is none. Another one was checked when it was accepted.
        case .payload: if content.isEmpty { output.null() } else { output.json(content) }
        case .request(let name), .answer(let name):
            guard let operation = table.operation(named: name) else { throw PayloadError() }
            var layout = operation.request
            if case .answer = form { layout = operation.answer }
            try Self.append(bytes, within: start..<start + count, as: layout, in: table, to: &output)
        }
    }

    // MARK: Bytes

    private mutating func take(_ count: Int) throws(PayloadError) -> ArraySlice<UInt8> {
        guard count <= endOffset - offset else { throw PayloadError() }
        offset += count
        return bytes[offset - count..<offset]
    }

    private mutating func readNumber(byteCount count: Int) throws(PayloadError) -> UInt64 {
        try take(count).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func readLength(_ taggedByteCount: Int?, byteCount: Int) throws(PayloadError) -> Int {
        if let taggedByteCount { return taggedByteCount }
        return Int(try readNumber(byteCount: byteCount))
    }

    private mutating func readUvarint() throws(PayloadError) -> UInt32 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 35, by: 7) {
            let byte = try readNumber(byteCount: 1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80 { return UInt32(truncatingIfNeeded: value) }
        }
        throw PayloadError()
    }
}
