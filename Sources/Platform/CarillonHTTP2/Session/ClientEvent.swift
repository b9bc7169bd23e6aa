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
