package import CarillonWire

/// The end of a client's session, with the requests that it leaves without an answer.
package struct SessionEnd: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The peer does not speak this protocol.
        case foreign
        /// The two ends have no version in common; the server did not say more.
        case versionRefused
        /// The server ended the connection with this error.
        case server(RequestError)
        /// The server wants an API key, and the client has none.
        case keyNeeded
        /// The server sent bytes that cannot be read.
        case garbled(WireError)
        /// The server is silent, or answers no request while abandoned ones occupy all room.
        case silence
        /// The connection did not open in time.
        case handshakeTimeout
        /// The connection takes no more requests, as after GOAWAY, and every request is answered or abandoned.
        case drained
        /// The server, or the network, has ended the connection.
        case disconnected
        /// The caller asked for the end.
        case finished
    }

    package var reason: Reason
    /// The requests without an answer that a caller waits for, ascending. Their effect is unknown, except that of
    /// `named`.
    package var unanswered: [UInt64]
    /// The unanswered request that the server's error names: the error also gives its effect and retry. nil if the
    /// error names no request.
    package var named: UInt64?

    package init(reason: Reason, unanswered: [UInt64] = [], named: UInt64? = nil) {
        self.reason = reason
        self.unanswered = unanswered
        self.named = named
    }
}

/// The result of running the timers of a session; empty if none was due.
package struct TimerResult: Hashable, Sendable {
    /// The requests whose deadline has passed; their answers are ignored.
    package var expired: [UInt64] = []
    package var sessionEnd: SessionEnd?

    package init(expired: [UInt64] = [], sessionEnd: SessionEnd? = nil) {
        self.expired = expired
        self.sessionEnd = sessionEnd
    }
}
