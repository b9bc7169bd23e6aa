import CarillonCore
package import CarillonWire

/// What a client brings to a connection. Times are milliseconds of uptime.
package struct ClientSessionSettings: Hashable, Sendable {
    /// Name and version for the server's log, 1 to 64 bytes.
    package var software: String
    /// The API key, 1 to 256 bytes; nothing where a certificate or nobody speaks for the client.
    package var credential: [UInt8]?
    /// Largest payload taken from the server, in bytes; at least 4,096.
    package var receiveLimit: UInt32 = WireLimits.frameBytes
    /// Requests outstanding, whatever the server allows.
    package var inFlightLimit = 65_536
    /// From connecting to *open*.
    package var handshakeMilliseconds: UInt64 = 5_000
    /// From our ping to giving up.
    package var pingMilliseconds: UInt64 = 10_000

    /// Makes settings with the protocol's limits.
    package init(software: String, credential: [UInt8]? = nil) {
        self.software = software
        self.credential = credential
    }
}

/// What came of the bytes that a client session was given.
package enum ClientStep: Hashable, Sendable {
    /// Nothing more can be read from these bytes: wait for more.
    case needMore
    /// Something was read that needs nothing from the shell: call again.
    case proceed
    /// Requests may be submitted; `welcome` is there.
    case opened
    /// A request was answered.
    case answered(AnyAnswer, id: UInt64)
    /// A request was refused.
    case refused(ErrorReply, id: UInt64)
    /// A request was executed, and answered with values that this version does not know.
    case unreadable(WireFault, id: UInt64)
    /// Something has happened that the request `subscription` has asked to be told.
    case event(EventNotice, subscription: UInt64)
    /// Our ping was answered.
    case ponged
    /// No new requests on this connection; those named were not and will not be executed.
    case goingAway(reconnectAfterMilliseconds: UInt32, notExecuted: [UInt64])
    /// The session has ended: send what is left in `output`, then close.
    case close(Closure)
}

/// What became of a request that was to be sent.
package enum Submission: Hashable, Sendable {
    /// It is in `output`; its answer will name this id.
    case sent(id: UInt64)
    /// Not yet: the connection is not open, or its window is full.
    case wait
    /// Never on this connection.
    case elsewhere
    /// Never on any: the server has said that it does not take such a request.
    case refused(ErrorReply)
}

/// What became of a ping that was to be sent.
package enum PingSubmission: Hashable, Sendable {
    /// It is in `output`; `ponged` will follow.
    case sent
    /// One is under way; its answer serves as well.
    case underWay
    /// The server wants more time between pings; uptime in milliseconds.
    case tooSoon(until: UInt64)
    /// The connection is not open.
    case notOpen
}

/// What time has brought.
package struct Overdue: Hashable, Sendable {
    /// Requests whose deadline has passed; their answers will be ignored.
    package var expired: [UInt64] = []
    /// The end of the session, if it has come.
    package var closure: Closure?

    /// Makes it.
    package init(expired: [UInt64] = [], closure: Closure? = nil) {
        self.expired = expired
        self.closure = closure
    }
}

/// How a client's session ended.
package struct Closure: Hashable, Sendable {
    /// Why.
    package enum Reason: Hashable, Sendable {
        /// What answers there does not speak this protocol.
        case foreign
        /// No version in common; the server did not say more.
        case versionRefused
        /// The server said so.
        case server(ErrorReply)
        /// The server wants an API key, and there is none.
        case credentialNeeded
        /// The server sent what cannot be read.
        case garbled(WireFault)
        /// The server is silent, or answers pings and nothing else.
        case silence
        /// The connection did not open in time.
        case handshakeTimeout
        /// The server is stopping, and everything is answered.
        case drained
        /// The connection has ended.
        case disconnected
        /// As the caller wished.
        case finished
    }

    /// Why.
    package var reason: Reason
    /// Requests that somebody still waits for, ascending. Their effect is unknown, save of `named`.
    package var unanswered: [UInt64]
    /// The one of them that the server's error names: effect and retry are those of the error.
    package var named: UInt64?

    /// Makes it.
    package init(reason: Reason, unanswered: [UInt64] = [], named: UInt64? = nil) {
        self.reason = reason
        self.unanswered = unanswered
        self.named = named
    }
}
