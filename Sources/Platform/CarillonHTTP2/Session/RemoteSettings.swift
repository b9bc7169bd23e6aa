/// The peer's current settings (RFC 9113, section 6.5.2).
package struct RemoteSettings: Sendable, Equatable {
    /// The number of streams that may be open at a time.
    package var maxConcurrentStreams: Int
    /// The send window of a new stream, in bytes.
    package var initialWindowSize: Int
    /// The longest frame payload that the peer takes, in bytes.
    package var maxFrameSize: Int
    /// The size of the peer's header compression table, in bytes.
    package var headerTableSize: Int
    /// The longest header list that the peer takes, in bytes; 4,294,967,295 if it did not say.
    package var maxHeaderListSize: Int
}
