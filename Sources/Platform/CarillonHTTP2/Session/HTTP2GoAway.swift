/// The peer's announcement that it takes no new streams (RFC 9113, section 6.8).
package struct HTTP2GoAway: Sendable {
    /// The last stream that the peer may have processed; requests on later ones may be sent again freely.
    package var lastStreamID: Int32
    /// The reason why the peer closes the connection.
    package var errorCode: HTTP2ErrorCode
    var debugData: ByteRange
}
