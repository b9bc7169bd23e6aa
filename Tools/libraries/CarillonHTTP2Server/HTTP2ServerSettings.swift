/// The limits that a server session keeps. Those that are SETTINGS of HTTP/2 it also announces.
package struct HTTP2ServerSettings: Sendable {
    package var maxConcurrentStreams: UInt32 = 1000
    /// The size of the session's header compression table for requests, in bytes.
    package var headerTableSize: UInt32 = 4096
    /// The receive window of a stream, in bytes.
    package var initialWindowSize: UInt32 = 65_535
    /// The receive window of the connection, in bytes; 65,535 to 2,147,483,647.
    package var connectionWindowSize: Int32 = 65_535
    /// The longest header list that is taken, in bytes, at most 65,535. A longer one resets its stream.
    package var maxHeaderListSize: UInt32 = 8_000
    /// The most bytes of a request's body that are kept.
    package var maximumBodyBytes: Int = 8 << 10
    /// The number of stream resets that a client may send at once, and each second after that.
    package var resetLimit: (burst: UInt64, perSecond: UInt64) = (1000, 33)

    /// Makes the limits with the SETTINGS that APNs announces.
    package init() {}
}
