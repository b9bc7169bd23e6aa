import CarillonWire

/// The result of one request, or of a batch of changes, on its way to the session that it came from.
enum Completion: Sendable {
    case request(id: UInt64, Result<Response, ErrorReply>)
    case changes(CompletedChanges)
}
