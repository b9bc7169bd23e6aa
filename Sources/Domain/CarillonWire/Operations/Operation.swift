package import CarillonCore

/// A request with its answer, their codecs and its rules (Protocol 6 to 14).
///
/// Everything that differs between two operations is in the file of the request type and in its row of
/// `OperationTable`. A decoder never traps on bytes of a peer: it throws what is malformed and records what is invalid.
package protocol Operation: Hashable, Sendable {
    /// The value that the server answers with.
    associatedtype Answer: Hashable & Sendable

    static var opcode: Opcode { get }

    /// The app that the request is about; nil if it is about none or several.
    var namedApp: AppID? { get }
    /// True if the request also sends a message, which needs the role `send` as well.
    var sendsMessage: Bool { get }
    /// True if the request is about the server as a whole: the role must be for every app.
    var concernsServer: Bool { get }
    /// The idempotency key; nil if the request has none.
    var idempotencyKey: UUIDBytes? { get }
    /// True if the request changes the state of the server.
    var changesState: Bool { get }
    /// True if making the request twice is as good as making it once (Protocol 18, guarantee 2).
    var isRepeatable: Bool { get }

    /// Reads the payload to its end, with the tagged fields that all requests have.
    init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError)
    func write(to writer: inout FrameWriter, common: CommonFields)
    /// Reads the payload of an answer to its end; unknown tags are skipped.
    static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> Answer
    static func write(_ answer: Answer, to writer: inout FrameWriter)
    /// Returns the request's name for a field that the registry refuses.
    static func requestField(_ field: String) -> String
}

extension Operation {
    /// The row of the operation in the table.
    package static var tableRow: OperationTable.Row { OperationTable.row(for: Self.self) }

    package var namedApp: AppID? { nil }
    package var sendsMessage: Bool { false }
    package var concernsServer: Bool { false }
    package var idempotencyKey: UUIDBytes? { nil }
    package var changesState: Bool { Self.tableRow.repetition != .readOnly }
    package var isRepeatable: Bool { Self.tableRow.repetition != .never }
    package static func requestField(_ field: String) -> String { field }

    package func isEqual(to other: any Operation) -> Bool { (other as? Self) == self }
}
