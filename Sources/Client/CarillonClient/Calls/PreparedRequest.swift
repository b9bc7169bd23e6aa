import CarillonCore
import CarillonWire

/// A request as the dispatcher sends it: encoded once, with the facts that decide whether it may be sent again.
struct PreparedRequest: Sendable {
    let encoded: EncodedRequest
    let changesState: Bool
    let isRepeatable: Bool
    /// The idempotency key; nil if the request has none.
    let key: UUIDBytes?

    init<O: Operation>(_ request: O) {
        encoded = EncodedRequest(request)
        changesState = request.changesState
        isRepeatable = request.isRepeatable
        key = request.idempotencyKey
    }
}
