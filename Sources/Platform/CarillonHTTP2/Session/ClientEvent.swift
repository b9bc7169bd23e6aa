/// An event of a client session. Plain values, so that an answer costs no allocation.
package enum ClientEvent: Sendable {
    /// A field of a stream's answer. The event's bytes are its value, at most 1 KiB. It comes before the stream's end.
    case answerField(AnswerField)
    /// A stream is closed; the event's bytes are the answer's body, empty for most.
    case streamClosed(StreamEnd)
    /// The peer announced settings; the first ones make `remoteMaxConcurrentStreams` valid.
    case settings(RemoteSettings)
    /// The peer has applied the settings of this session.
    case settingsAcknowledged
    /// The peer takes no new streams; the event's bytes are its debug data, cut at 1 KiB.
    case goAway(HTTP2GoAway)
    /// The answer to `ping(_:)`, with its value.
    case pingAcknowledged(UInt64)
}

/// A field of an answer that the session reports.
package struct AnswerField: Sendable {
    /// The fields that are reported.
    package enum Name: UInt8, Sendable {
        /// `apns-channel-id`: the id of a new broadcast channel.
        case channelID = 1
        /// `apns-unique-id`: APNs' own id of a push.
        case uniqueID = 2
        /// `x-wns-error-description`: the reason for which the push service of Windows refuses a push.
        case errorDescription = 4
    }

    /// The caller's tag of the request.
    package var tag: UInt64
    package var name: Name
    var value: ByteRange
}

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

/// The peer's announcement that it takes no new streams (RFC 9113, section 6.8).
package struct HTTP2GoAway: Sendable {
    /// The last stream that the peer may have processed; requests on later ones may be sent again freely.
    package var lastStreamID: Int32
    /// The reason why the peer closes the connection.
    package var errorCode: HTTP2ErrorCode
    var debugData: ByteRange
}

/// The place of an event's bytes among those of its batch.
struct ByteRange: Sendable {
    var offset: Int
    var count: Int
}
