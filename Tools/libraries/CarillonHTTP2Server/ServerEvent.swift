package import CarillonHTTP2

/// An event of a server session.
package enum ServerEvent {
    /// A request is complete. Its memory is valid until `takeEvents` returns.
    case request(Request)
    /// A stream is closed, answered or not.
    case streamClosed(stream: Int32, errorCode: HTTP2ErrorCode)
    case settings(RemoteSettings)
    /// The client has applied the newest settings of the session.
    case settingsAcknowledged
    /// The client closes the connection.
    case goAway(errorCode: HTTP2ErrorCode)
    /// The answer to `ping(_:)`, with its value.
    case pingAcknowledged(UInt64)
}
