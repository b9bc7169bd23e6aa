import CCarillonNghttp2

/// The limits that a client session announces and keeps.
package struct ClientSettings: Sendable {
    /// The size of the client's header compression table for answers, in bytes.
    package var headerTableSize: UInt32 = 4096
    /// The receive window of a stream, in bytes.
    package var initialWindowSize: UInt32 = 65_535
    /// The receive window of the connection, in bytes; 65,535 to 2,147,483,647.
    package var connectionWindowSize: Int32 = 1 << 20
    /// The longest header list that the client takes, in bytes.
    package var maxHeaderListSize: UInt32 = 16 << 10
    /// The part of an answer's body that is kept, in bytes; at most 4 MiB.
    package var maximumBodyBytes: Int = 16 << 10
    /// The bytes that are kept of the bodies of all open streams together.
    package var maximumTotalBodyBytes: Int = 1 << 20
    /// The number of streams that may be open before the peer's first SETTINGS.
    package var initialMaxConcurrentStreams: UInt32 = 1

    /// The settings for connections to providers of pushes.
    package init() {}
}
