package import CarillonCore

/// The frames of any operation: requests, and the answers to them.
extension Operation {
    /// Reads the payload of an answer; `bytes` are not kept. Unknown tags are skipped.
    package static func decodeAnswer(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> Answer {
        var reader = PayloadReader(bytes)
        return try readAnswer(from: &reader)
    }
}

extension FrameWriter {
    package mutating func request<O: Operation>(_ request: O, id: UInt64, common: CommonFields = CommonFields()) {
        frame(.request, opcode: O.opcode, id: id) { request.write(to: &$0, common: common) }
    }

    package mutating func request(_ request: AnyRequest, id: UInt64, common: CommonFields = CommonFields()) {
        self.request(request.operation, id: id, common: common)
    }

    /// Appends a request whose payload is encoded already.
    package mutating func request(_ opcode: Opcode, payload: some Collection<UInt8>, id: UInt64) {
        frame(.request, opcode: opcode, id: id) { $0.raw(payload) }
    }

    package mutating func answer<O: Operation>(_ answer: O.Answer, to operation: O.Type, id: UInt64) {
        frame(.answer, opcode: O.opcode, id: id) { O.write(answer, to: &$0) }
    }

    package mutating func answer(_ answer: AnyAnswer, id: UInt64) {
        frame(.answer, opcode: answer.opcode, id: id) { answer.write(to: &$0) }
    }

    package mutating func answer(_ answer: EncodedAnswer, id: UInt64) {
        frame(.answer, opcode: answer.opcode, id: id) { $0.raw(answer.payload) }
    }

    /// Appends the answer to a change that was asked for by the request `id`.
    ///
    /// - Returns: false, and nothing is appended, if `answer` does not answer the operation.
    package mutating func answer(_ answer: ChangeAnswer, to opcode: Opcode, id: UInt64) -> Bool {
        // The frequent operations do not use the table, so that the compiler sees their types.
        switch opcode {
        case .register: self.answer(answer, toChange: RegisterRequest.self, id: id)
        case .subscribe: self.answer(answer, toChange: SubscribeRequest.self, id: id)
        case .unsubscribe: self.answer(answer, toChange: UnsubscribeRequest.self, id: id)
        default: OperationTable.row(of: opcode)?.writeChangeAnswer(answer, id, &self) ?? false
        }
    }

    private mutating func answer<O: ChangeOperation>(
        _ answer: ChangeAnswer, toChange operation: O.Type, id: UInt64
    ) -> Bool {
        guard let answer = O.answer(answer) else { return false }
        self.answer(answer, to: operation, id: id)
        return true
    }
}
