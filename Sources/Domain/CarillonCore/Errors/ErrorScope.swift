/// The reach of an error (Protocol 15).
public enum ErrorScope: UInt8, Hashable, Sendable {
    /// The error ends one request; the connection stays open.
    case request = 0
    /// The error ends the connection.
    case connection = 1
}
