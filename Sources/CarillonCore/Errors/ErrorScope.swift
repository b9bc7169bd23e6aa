/// The reach of an error (Protocol 9).
public enum ErrorScope: UInt8, Hashable, Sendable {
    /// It ends one request; the connection stays open.
    case request = 0
    /// It ends the connection.
    case connection = 1
}
