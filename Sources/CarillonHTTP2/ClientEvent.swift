/// What happened on a client session, in order; plain values, so that a full answer costs no allocation.
package enum ClientEvent: Sendable {
    /// A stream is over; the bytes that come with the event are the answer's body, empty for most.
    case streamClosed(StreamEnd)
    /// The peer announced settings; its first ones end the wait for `remoteMaxConcurrentStreams`.
    case settings(RemoteSettings)
    /// The peer has applied our settings.
    case settingsAcknowledged
    /// The peer will take no new streams; the bytes that come with the event are its debug data, cut at 1 KiB.
    case goAway(GoAway)
    /// The answer to `ping(_:)`, with its value.
    case pingAcknowledged(UInt64)
}

/// How a stream ended.
package struct StreamEnd: Sendable {
    /// The caller's name for the request.
    package var tag: UInt64
    /// Why the stream was closed; `refusedStream` means that the peer never processed the request.
    package var errorCode: ErrorCode
    /// The final `:status`; 0 if no answer came.
    package var status: UInt16
    /// Whether the answer is whole: its last frame arrived.
    package var isComplete: Bool
    /// Whether the request's HEADERS may have left; false means that it was never written.
    package var wasSent: Bool
    /// Whether the body of the answer was longer than the session keeps and was cut.
    package var isBodyCut: Bool
    /// The seconds of a `retry-after` header, if it was a number.
    package var retryAfter: UInt32?
    var body: ByteRange
}

/// The peer's announcement that it takes no new streams (RFC 9113, section 6.8).
package struct GoAway: Sendable {
    /// The last stream that the peer may have processed; requests on later ones may be sent again freely.
    package var lastStreamID: Int32
    /// Why the peer is leaving.
    package var errorCode: ErrorCode
    var debugData: ByteRange
}

/// Where the bytes of an event lie among those of its batch.
struct ByteRange: Sendable {
    var offset: Int
    var count: Int
}

/// The peer's settings as they stand now (RFC 9113, section 6.5.2).
package struct RemoteSettings: Sendable, Equatable {
    /// How many streams may be open at a time.
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

/// Limits that a client session announces and keeps.
package struct ClientSettings: Sendable {
    /// The size of our header compression table for answers, in bytes.
    package var headerTableSize: UInt32 = 4096
    /// The receive window of a stream, in bytes.
    package var initialWindowSize: UInt32 = 65_535
    /// The receive window of the connection, in bytes; 65,535 to 2,147,483,647.
    package var connectionWindowSize: Int32 = 1 << 20
    /// The longest header list that we take, in bytes.
    package var maxHeaderListSize: UInt32 = 16 << 10
    /// How much of the body of an answer is kept, in bytes.
    package var maxBodyBytes: Int = 4 << 10
    /// How many streams may be open before the peer's first SETTINGS.
    package var initialMaxConcurrentStreams: UInt32 = 1

    /// The settings to use against APNs.
    package init() {}
}
