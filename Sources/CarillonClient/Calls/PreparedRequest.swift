import CarillonCore
import CarillonWire

/// A request as the dispatcher sends it: encoded once, with what decides whether it may be sent again.
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

/// What a call is to do.
enum CallKind: Sendable {
    case request(PreparedRequest)
    /// Measure a round trip.
    case ping
    /// Return the description of the server.
    case information
    /// Connect; it fails after one round of attempts.
    case connect
}

/// The result of a call.
enum CallResult: Sendable {
    case answer(AnyAnswer)
    case roundTrip(Duration)
    case information(ServerInformation)
    case connected
}
