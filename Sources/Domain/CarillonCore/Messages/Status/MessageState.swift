/// The state of a message (Protocol 10.2). The set is open: a later server may have more.
public struct MessageState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt8

    /// Makes a state from its number; numbers that this version does not know are kept.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The message is accepted; no attempt has been made yet.
    public static let waiting = MessageState(rawValue: 1)
    /// Some recipients have an outcome, others do not.
    public static let sending = MessageState(rawValue: 2)
    /// Every recipient has an outcome.
    public static let finished = MessageState(rawValue: 3)
    /// The message is accepted; its time to send has not come.
    public static let scheduled = MessageState(rawValue: 4)
    /// The message was paused by an operator or a service; nothing of it is sent.
    public static let paused = MessageState(rawValue: 5)

    private static let names = ["waiting", "sending", "finished", "scheduled", "paused"]

    /// The name used in files and output; `state-N` for a number that this version does not know.
    public var name: String { isKnown ? Self.names[Int(rawValue) - 1] : "state-\(rawValue)" }

    /// True if this version knows the number.
    package var isKnown: Bool { (1...Self.names.count).contains(Int(rawValue)) }

    /// The name as in JSON and events: `sending`.
    public var description: String { name }
}
