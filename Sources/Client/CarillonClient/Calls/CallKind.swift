import CarillonCore
import CarillonWire

/// The purpose of a call.
enum CallKind: Sendable {
    case request(PreparedRequest)
    /// A call that measures a round trip.
    case ping
    /// A call that returns the description of the server.
    case serverInfo
    /// A call that connects; it fails after one round of attempts.
    case connect
}
