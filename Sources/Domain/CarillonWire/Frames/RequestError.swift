package import CarillonCore

/// The error of a request, or of a connection: the payload of an error frame (Protocol 15).
package struct RequestError: Error, Hashable, Sendable {
    package var code: ErrorCode
    /// The scope of the error: the request or the connection.
    package var scope: ErrorScope
    package var effect: Effect
    /// The advice when the same request may be made again.
    package var retry: RetryAdvice
    /// A text for operators; at most 512 bytes are sent.
    package var message: String
    /// The field at fault; nil if no field is at fault.
    package var field: String?
    /// The limit that was exceeded; nil if no limit was exceeded.
    package var limit: UInt64?
    /// The index of the item at fault in its list; nil if no item is at fault.
    package var item: UInt32?
    /// The position of the fault in a condition, in bytes from 1; nil if the fault is not in a condition.
    package var column: UInt32?
    /// The reason that APNs gave for a refused call about a broadcast channel, or the server's own word if APNs gave no
    /// answer; at most 64 bytes. Nil if APNs was not asked.
    package var reason: String?

    package init(
        _ code: ErrorCode,
        scope: ErrorScope = .request,
        effect: Effect = .notExecuted,
        retry: RetryAdvice = .never,
        message: String,
        field: String? = nil,
        limit: UInt64? = nil,
        item: UInt32? = nil,
        column: UInt32? = nil,
        reason: String? = nil
    ) {
        self.code = code
        self.scope = scope
        self.effect = effect
        self.retry = retry
        self.message = message
        self.field = field
        self.limit = limit
        self.item = item
        self.column = column
        self.reason = reason
    }

    /// Makes the error for a fault of a request's bytes.
    package init(_ fault: WireError, scope: ErrorScope = .request) {
        self.init(
            fault.code,
            scope: scope,
            message: fault.text,
            field: fault.field,
            limit: fault.limit,
            item: fault.item,
            column: fault.column
        )
    }

    /// Reads the payload of an error frame.
    package init(decoding payload: UnsafeRawBufferPointer) throws(WireError) {
        var reader = PayloadReader(payload)
        let code = ErrorCode(rawValue: try reader.u16("code"))
        let scope = try reader.u8("scope")
        let effect = try reader.u8("effect")
        let retry = try reader.u32("retry_after_ms")
        let message = try reader.string("message", limits: 0...512)
        self.init(
            code,
            scope: ErrorScope(rawValue: scope) ?? .request,
            effect: Effect(rawValue: effect) ?? .unknown,
            retry: retry == .max ? .never : .after(milliseconds: retry),
            message: message
        )
        var field: String?
        var limit: UInt64?
        var item: UInt32?
        var column: UInt32?
        var reason: String?
        try reader.finish(ignoringUnknown: true) { reader, tag, value throws(WireError) in
            switch tag {
            case 2: field = try reader.text(value, field: "field", limits: 0...512)
            case 4: limit = try reader.integer(UInt64.self, of: value, field: "limit")
            case 6: item = try reader.integer(UInt32.self, of: value, field: "item")
            case 8: column = try reader.integer(UInt32.self, of: value, field: "column")
            case 10: reason = try reader.text(value, field: "reason", limits: 0...64)
            default: return false
            }
            return true
        }
        self.field = field
        self.limit = limit
        self.item = item
        self.column = column
        self.reason = reason
    }

    func write(to writer: inout FrameWriter) {
        writer.u16(code.rawValue)
        writer.u8(scope.rawValue)
        writer.u8(effect.rawValue)
        switch retry {
        case .never: writer.u32(.max)
        case .after(let milliseconds): writer.u32(min(milliseconds, .max - 1))
        }
        writer.string(message.cut(toBytes: 512))
        writer.tags([
            FrameWriter.field(2, field), FrameWriter.field(4, limit), FrameWriter.field(6, item),
            FrameWriter.field(8, column), FrameWriter.field(10, reason),
        ])
    }
}

extension String {
    /// Returns the longest prefix of at most `limit` bytes that cuts no character.
    func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var short = self
        while short.utf8.count > limit { short.removeLast() }
        return short
    }
}

extension FrameWriter {
    /// Appends an error that answers the request `id`, or with id 0 concerns the connection.
    package mutating func error(_ error: RequestError, opcode: Opcode, id: UInt64) {
        frame(.error, opcode: opcode, id: id) { error.write(to: &$0) }
    }
}

/// Errors that several operations share.
extension RequestError {
    /// Returns the same error with the name that the request has for the field at fault.
    package func withField(ofRequest opcode: Opcode) -> RequestError {
        guard let field, let row = OperationTable.row(of: opcode) else { return self }
        var renamed = self
        renamed.field = row.requestField(field)
        return renamed
    }

    package static let noDevice = RequestError(.notFound, message: "there is no such device", field: "device")
    package static let noMessage = RequestError(.notFound, message: "there is no such message", field: "message_id")
}
