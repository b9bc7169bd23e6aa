/// The answer to TRACE (Protocol 10.8).
package enum MessageTraceResult: Hashable, Sendable {
    /// The app has no such message.
    case noMessage
    /// The app has no such device.
    case noDevice
    case trace(MessageTrace)
}
