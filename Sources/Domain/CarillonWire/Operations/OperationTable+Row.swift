package import CarillonCore

/// The rows of the table. Sessions, server, client, metrics and fuzzer read them.
extension OperationTable {
    /// One operation: how the server runs it, who may ask for it, whether it may be asked for again, and how long its
    /// pages are.
    package final class Row: Sendable {
        /// Says how the server runs an operation.
        package enum Kind: Hashable, Sendable {
            /// A read of a few rows, answered at once.
            case pointRead
            /// A read of many rows, on a thread that may wait.
            case longRead
            /// One change that sends no message.
            case change
            /// A request with a function of its own in the server's `RequestRunner` (`IndividualRequest`).
            case individual
            /// A request that changes the state of the session (`SessionRequest`).
            case session
        }

        /// Says whether a request may be made again when its answer was lost.
        package enum Repetition: Hashable, Sendable {
            /// The request may be made again, because it changes nothing that is stored.
            case readOnly
            /// The request may be made again: made twice, it is as good as made once.
            case always
            /// The value `Operation.isRepeatable` of the request says whether it may be made again.
            case conditional
            /// The request must not be made again.
            case never
        }

        package let opcode: Opcode
        /// The name in metrics and output.
        package let name: String
        package let kind: Kind
        /// The client needs one of these roles, for the app or, if the request is about none, for any app; empty if the
        /// roles are judged in another way.
        package let roles: Roles
        package let repetition: Repetition
        /// The most bytes of a row of a page; 0 if the answer is not a page.
        package let rowBytes: UInt32
        /// The most bytes of a page beside its rows.
        package let otherBytes: UInt32
        /// The layouts of the payload that this version speaks.
        package let layouts: ClosedRange<UInt8>
        package let type: any Operation.Type

        /// Decodes a request into the form in which the server runs it.
        let decode:
            @Sendable (inout PayloadReader, inout CommonFields, _ now: Timestamp) throws(WireError) -> ServerRequest
        /// Appends the answer to a change; it appends nothing and returns false if `answer` is another operation's.
        let writeChangeAnswer: @Sendable (_ answer: ChangeAnswer, _ id: UInt64, inout FrameWriter) -> Bool
        /// Returns the request's name for a field that the registry refuses.
        let requestField: @Sendable (String) -> String

        /// Returns the number of rows of a page of at most `bytes` of payload; at least 1.
        func rows(within bytes: UInt32) -> UInt32 {
            rowBytes == 0 ? .max : max(1, (bytes - min(bytes, otherBytes)) / rowBytes)
        }

        private init<O: Operation>(
            _ type: O.Type,
            name: String,
            kind: Kind,
            roles: Roles,
            repetition: Repetition,
            rowBytes: Int = 0,
            otherBytes: Int = 256,
            decode:
                @escaping @Sendable (inout PayloadReader, inout CommonFields, Timestamp) throws(WireError) ->
                ServerRequest,
            writeChangeAnswer: @escaping @Sendable (ChangeAnswer, UInt64, inout FrameWriter) -> Bool = { _, _, _ in
                false
            }
        ) {
            opcode = O.opcode
            self.name = name
            self.kind = kind
            self.roles = roles
            self.repetition = repetition
            self.rowBytes = UInt32(rowBytes)
            self.otherBytes = UInt32(otherBytes)
            layouts = 1...1
            self.type = type
            self.decode = decode
            self.writeChangeAnswer = writeChangeAnswer
            requestField = { O.requestField($0) }
        }
    }
}

/// Makes the rows, with a function for each kind of operation. Each takes the protocol of its kind.
extension OperationTable.Row {
    static func pointRead<O: PointReadOperation>(_ type: O.Type, name: String, roles: Roles) -> OperationTable.Row {
        OperationTable.Row(
            type, name: name, kind: .pointRead, roles: roles, repetition: .readOnly,
            decode: { reader, common, _ throws(WireError) in
                let app = try reader.app()
                return .pointRead(try PointRead(O.opcode, from: &reader, common: &common), of: app)
            })
    }

    static func longRead<O: LongReadOperation>(
        _ type: O.Type, name: String, roles: Roles, rowBytes: Int = 0
    ) -> OperationTable.Row {
        OperationTable.Row(
            type, name: name, kind: .longRead, roles: roles, repetition: .readOnly, rowBytes: rowBytes,
            decode: { reader, common, _ throws(WireError) in
                .longRead(LongReadRequest(try O(from: &reader, common: &common)))
            })
    }

    /// Makes the row of STATISTICS, which is not read from the registry alone.
    static func statistics(name: String, rowBytes: Int, otherBytes: Int) -> OperationTable.Row {
        OperationTable.Row(
            StatisticsRequest.self, name: name, kind: .longRead, roles: [], repetition: .readOnly, rowBytes: rowBytes,
            otherBytes: otherBytes,
            decode: { reader, common, _ throws(WireError) in
                .statistics(try StatisticsRequest(from: &reader, common: &common))
            })
    }

    static func change<O: ChangeOperation>(
        _ type: O.Type, name: String, roles: Roles, repetition: Repetition = .always
    ) -> OperationTable.Row {
        OperationTable.Row(
            type, name: name, kind: .change, roles: roles, repetition: repetition,
            decode: { reader, common, now throws(WireError) in
                try O(from: &reader, common: &common).serverRequest(at: now)
            },
            writeChangeAnswer: { answer, id, writer in
                guard let answer = O.answer(answer) else { return false }
                writer.answer(answer, to: type, id: id)
                return true
            })
    }

    static func individual<O: IndividualOperation>(
        _ type: O.Type, name: String, roles: Roles, repetition: Repetition, rowBytes: Int = 0, otherBytes: Int = 256
    ) -> OperationTable.Row {
        OperationTable.Row(
            type, name: name, kind: .individual, roles: roles, repetition: repetition, rowBytes: rowBytes,
            otherBytes: otherBytes,
            decode: { reader, common, _ throws(WireError) in try O(from: &reader, common: &common).serverRequest() })
    }

    static func session<O: SessionOperation>(
        _ type: O.Type, name: String, repetition: Repetition
    ) -> OperationTable.Row {
        OperationTable.Row(
            type, name: name, kind: .session, roles: [], repetition: repetition,
            decode: { reader, common, _ throws(WireError) in
                .session(try O(from: &reader, common: &common).sessionRequest())
            })
    }
}
