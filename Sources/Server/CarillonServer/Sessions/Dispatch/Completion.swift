import CarillonWire

/// The result of one request, or of gathered changes, on its way to the session that it came from.
enum Completion: Sendable {
    case request(id: UInt64, Result<EncodedAnswer, RequestError>)
    /// The result of SUBSCRIBE_EVENTS: the number after which the events begin.
    case subscription(id: UInt64, Result<UInt64, RequestError>)
    case changes(CompletedChanges)
}
