import CarillonCore
import CarillonWire

/// The result of a call.
enum CallResult: Sendable {
    case answer(AnyAnswer)
    case roundTrip(Duration)
    case serverInfo(ServerInfo)
    case connected
}
