import CarillonCore

/// A request of any operation, where requests of several operations stand together.
package struct AnyRequest: Hashable, Sendable {
    package let operation: any Operation

    package init(_ operation: any Operation) {
        self.operation = operation
    }

    package var opcode: Opcode { type(of: operation).opcode }
    package var tableRow: OperationTable.Row { type(of: operation).tableRow }

    /// Returns the request; nil if it is of another operation.
    package func `as`<O: Operation>(_ type: O.Type) -> O? { operation as? O }

    /// Reads the payload of a request; `bytes` are not kept.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, of opcode: Opcode
    ) throws(WireError) -> (request: AnyRequest, common: CommonFields) {
        guard let row = OperationTable.row(of: opcode) else {
            throw WireError(.unsupportedOpcode, text: "opcode \(opcode.rawValue) is not served")
        }
        var reader = PayloadReader(bytes)
        var common = CommonFields()
        let operation: any Operation = try row.type.init(from: &reader, common: &common)
        return (AnyRequest(operation), common)
    }

    package static func == (left: AnyRequest, right: AnyRequest) -> Bool {
        left.operation.isEqual(to: right.operation)
    }

    package func hash(into hasher: inout Hasher) {
        operation.hash(into: &hasher)
    }
}
