import CarillonCore

/// The answer to any operation, where answers to several operations stand together.
package struct AnyAnswer: Hashable, Sendable {
    package let opcode: Opcode
    private let value: any Hashable & Sendable
    private let type: any Operation.Type

    package init<O: Operation>(_ answer: O.Answer, to operation: O.Type) {
        opcode = O.opcode
        value = answer
        type = operation
    }

    /// Returns the answer; nil if it is of another operation.
    package func `as`<O: Operation>(answerTo operation: O.Type) -> O.Answer? {
        opcode == O.opcode ? value as? O.Answer : nil
    }

    /// Reads the payload of an answer; `bytes` are not kept. Unknown tags are skipped.
    package static func decode(_ bytes: UnsafeRawBufferPointer, of opcode: Opcode) throws(WireError) -> AnyAnswer {
        guard let row = OperationTable.row(of: opcode) else {
            throw WireError(.unsupportedOpcode, text: "an answer of opcode \(opcode.rawValue)")
        }
        return try decode(bytes, as: row.type)
    }

    private static func decode<O: Operation>(
        _ bytes: UnsafeRawBufferPointer, as type: O.Type
    ) throws(WireError) -> AnyAnswer {
        AnyAnswer(try O.decodeAnswer(bytes), to: type)
    }

    func write(to writer: inout FrameWriter) {
        type.writeErased(value, to: &writer)
    }

    package static func == (left: AnyAnswer, right: AnyAnswer) -> Bool {
        left.opcode == right.opcode && AnyHashable(left.value) == AnyHashable(right.value)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(opcode)
        value.hash(into: &hasher)
    }
}

extension Operation {
    /// Appends the payload of an answer, which is of this operation.
    fileprivate static func writeErased(_ answer: any Hashable & Sendable, to writer: inout FrameWriter) {
        if let answer = answer as? Answer { write(answer, to: &writer) }
    }
}
