/// The server's number for an accepted message: each message has a higher one; never 0.
public struct MessageID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number; 0 is no message's.
    public let rawValue: UInt64

    /// Makes an id from the server's number. No message has the number 0.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Compares two ids by number, which is the order of acceptance.
    public static func < (left: MessageID, right: MessageID) -> Bool { left.rawValue < right.rawValue }

    /// The number in decimal.
    public var description: String { String(rawValue) }
}
