/// The server's number for a device of an app. It stays the same when the token changes (Protocol 7), and is less than
/// 2⁵².
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, less than 2⁵²; 0 is no device's.
    public let rawValue: UInt64

    /// Makes an id from the server's number, which is not checked. No device has the number 0.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The id 0, which stands for a broadcast channel where a recipient has a device id. No device has it.
    package static let channel = DeviceID(rawValue: 0)

    /// Compares two ids by number, which is the order of registration.
    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.rawValue < right.rawValue }

    /// The number in decimal.
    public var description: String { String(rawValue) }
}
