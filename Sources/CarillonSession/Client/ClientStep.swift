package import CarillonCore
package import CarillonWire

/// The settings of a client session. Durations are in milliseconds.
package struct ClientSessionSettings: Hashable, Sendable {
    /// Name and version for the server's log, 1 to 64 bytes.
    package var software: String
    /// The API key, 1 to 256 bytes; nil if the client has a certificate, or no credential.
    package var credential: [UInt8]?
    /// Largest payload taken from the server, in bytes; at least 4,096.
    package var receiveLimit: UInt32 = WireLimits.frameBytes
    /// Outstanding requests at most, even if the server allows more.
    package var inFlightLimit = 65_536
    /// From connecting to the phase *open*.
    package var handshakeMilliseconds: UInt64 = 5_000
    /// From a ping of the client to the end of the session, if nothing comes; and how long all room may be occupied by
    /// abandoned requests.
    package var pingMilliseconds: UInt64 = 5_000
    /// From the last byte of the server to a ping, while a request waits for its answer.
    package var probeMilliseconds: UInt64 = 3_000

    /// Makes settings with the limits of the protocol.
    package init(software: String, credential: [UInt8]? = nil) {
        self.software = software
        self.credential = credential
    }
}

/// The result of reading bytes in a client session.
package enum ClientStep: Hashable, Sendable {
    /// These bytes hold no complete frame: wait for more.
    case needMore
    /// The session has handled a frame itself: call again.
    case proceed
    /// Requests may be submitted; `helloAnswer` is set.
    case opened
    /// A request was answered.
    case answered(AnyAnswer, id: UInt64)
    /// A request was refused.
    case refused(ErrorReply, id: UInt64)
    /// A request was executed, and its answer has values that this version does not know.
    case unreadable(WireError, id: UInt64)
    /// An event of the subscription that the request `subscription` made.
    case event(EventNotice, subscription: UInt64)
    /// The client's ping was answered.
    case ponged
    /// Every change whose answer follows is at or before this position of the cluster's log.
    case position(UInt64)
    /// The connection takes no new requests. The requests in `notExecuted` were not executed and will not be.
    case goingAway(GoAway, notExecuted: [UInt64])
    /// The session has ended: send what is left in `output`, then close.
    case close(Closure)
}

/// The result of submitting a request.
package enum RequestSubmission: Hashable, Sendable {
    /// It is in `output`; its answer will name this id.
    case sent(id: UInt64)
    /// Not now: the connection is not open, or its window is full.
    case wait
    /// Not on this connection: it takes no new requests.
    case elsewhere
    /// Not on any connection: the server does not take such a request.
    case refused(ErrorReply)
}

/// The result of sending a ping.
package enum PingSubmission: Hashable, Sendable {
    /// It is in `output`; `ponged` will follow.
    case sent
    /// One is under way; its answer serves for both.
    case underWay
    /// The server wants more time between pings.
    case tooSoon(until: Uptime)
    /// The connection is not open.
    case notOpen
}

/// The result of a deadline.
package struct Overdue: Hashable, Sendable {
    /// Requests whose deadline has passed; their answers are ignored.
    package var expired: [UInt64] = []
    /// The end of the session; nil if it goes on.
    package var closure: Closure?

    package init(expired: [UInt64] = [], closure: Closure? = nil) {
        self.expired = expired
        self.closure = closure
    }
}

/// The end of a client's session.
package struct Closure: Hashable, Sendable {
    /// Why a session ended.
    package enum Reason: Hashable, Sendable {
        /// The peer does not speak this protocol.
        case foreign
        /// The two ends have no version in common; the server did not say more.
        case versionRefused
        /// The server ended it with this error.
        case server(ErrorReply)
        /// The server wants an API key, and the client has none.
        case credentialNeeded
        /// The server sent bytes that cannot be read.
        case garbled(WireError)
        /// The server is silent, or answers pings and nothing else.
        case silence
        /// The connection did not open in time.
        case handshakeTimeout
        /// The server is stopping, and every request is answered.
        case drained
        /// The connection has ended.
        case disconnected
        /// The caller asked for the end.
        case finished
    }

    /// Why the session ended.
    package var reason: Reason
    /// The requests without an answer that a caller waits for, ascending. Their effect is unknown, except that of
    /// `named`.
    package var unanswered: [UInt64]
    /// The one of them that the server's error names: its effect and retry are those of the error.
    package var named: UInt64?

    package init(reason: Reason, unanswered: [UInt64] = [], named: UInt64? = nil) {
        self.reason = reason
        self.unanswered = unanswered
        self.named = named
    }
}
