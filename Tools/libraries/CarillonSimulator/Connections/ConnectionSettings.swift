package import CarillonHTTP2
package import CarillonHTTP2Server

/// The settings that differ between the connections of the simulated services.
package struct ConnectionSettings {
    package var http2 = ServerSettings()
    /// True if SETTINGS are sent together with the end of the server's handshake, so that a client that reads before it
    /// writes knows its stream limit in time.
    package var sendsSettingsEarly = false
    /// The GOAWAY for a client that exceeds its stream limit.
    package var streamLimitExceeded: (code: HTTP2ErrorCode, text: String)
    /// The most PINGs that a client may send on one connection; nil without limit.
    package var maximumPings: Int?
    /// The idle time, in milliseconds, after which a connection gets a GOAWAY; nil without limit.
    package var idleMilliseconds: Int64?

    package init(streamLimitExceeded: (code: HTTP2ErrorCode, text: String)) {
        self.streamLimitExceeded = streamLimitExceeded
    }
}
