import CarillonCore
import CarillonWire

/// A request as the dispatcher sends it: encoded once, with the facts that decide whether it may be sent again.
struct PreparedRequest: Sendable {
    let encoded: EncodedRequest
    let hasEffect: Bool
    let isRepeatable: Bool
    /// The idempotency key; nil if the request has none.
    let key: UUIDBytes?

    init<O: Operation>(_ request: O) {
        encoded = EncodedRequest(request)
        hasEffect = request.hasEffect
        isRepeatable = request.isRepeatable
        key = request.idempotencyKey
    }
}

/// The purpose of a call.
enum CallKind: Sendable {
    case request(PreparedRequest)
    /// A call that measures a round trip.
    case ping
    /// A call that returns the description of the server.
    case information
    /// A call that connects; it fails after one round of attempts.
    case connect
}

/// The result of a call.
enum CallResult: Sendable {
    case answer(AnyAnswer)
    case roundTrip(Duration)
    case information(ServerInformation)
    case connected
}
