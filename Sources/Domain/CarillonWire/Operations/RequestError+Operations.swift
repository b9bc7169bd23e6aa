import CarillonCore

/// Error replies that several operations share.
extension RequestError {
    /// Returns the same error with the name that the request has for the field at fault.
    package func withField(ofRequest opcode: Opcode) -> RequestError {
        guard let field, let rules = OperationTable.rules(of: opcode) else { return self }
        var renamed = self
        renamed.field = rules.requestField(field)
        return renamed
    }

    /// The error of a request whose device does not exist.
    package static let noDevice = RequestError(.notFound, message: "there is no such device", field: "device")
    /// The error of a request whose message does not exist.
    package static let noMessage = RequestError(.notFound, message: "there is no such message", field: "message_id")
}
