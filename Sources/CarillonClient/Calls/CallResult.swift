import CarillonCore
import CarillonWire

/// The result of a call.
enum CallResult: Sendable {
    case answer(AnyAnswer)
    case roundTrip(Duration)
    case information(ServerInfo)
    case connected
}
