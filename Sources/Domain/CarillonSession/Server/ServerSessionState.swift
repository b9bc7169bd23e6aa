import CarillonCore

/// The state of the server's end of a connection: its phase, the progress of an orderly stop, and whether the client
/// still sends.
struct ServerSessionState {
    /// The state of the connection (Protocol 5).
    enum Phase: Hashable {
        /// The handshake of the transport (TLS) is running: no bytes come. Leads to `preface` or `closed`.
        case transport
        /// Bytes of the client's preface are expected. Leads to `hello` or `closed`.
        case preface
        /// HELLO is the only legal request. Leads to `auth`, `open` or `closed`.
        case hello
        /// AUTH is the only legal request. Leads to `open` or `closed`.
        case auth(failures: Int)
        /// The client is known. Leads to `closed`.
        case open
        /// The last phase: nothing more is read or answered.
        case closed
    }

    /// The progress of an orderly stop (Protocol 6.4).
    enum Drain: Hashable {
        case none
        /// The first GOAWAY is written; requests are still executed.
        case noticed(since: Uptime)
        /// The second GOAWAY is written; later requests are answered with DRAINING.
        case closing(since: Uptime)
    }

    private(set) var phase = Phase.transport
    private(set) var drain = Drain.none
    /// True if the client has closed its sending direction.
    private(set) var isInputClosed = false

    // MARK: Handshake

    /// Called when the transport handshake is done: the preface comes next. Returns false if it was done before,
    /// or if the session has ended.
    mutating func transportReady() -> Bool {
        guard phase == .transport else { return false }
        phase = .preface
        return true
    }

    /// Called when the client's preface is accepted: HELLO comes next.
    mutating func prefaceAccepted() { phase = .hello }

    /// Called when HELLO is answered: AUTH comes next, unless a certificate has named the client.
    mutating func helloAnswered(isAuthenticated: Bool) { phase = isAuthenticated ? .open : .auth(failures: 0) }

    /// Called when AUTH has brought a good key.
    mutating func keyAccepted() { phase = .open }

    /// Counts a wrong key, and closes after the last of `attempts`; returns true if it was the last.
    mutating func keyRefused(attempts: Int) -> Bool {
        guard case .auth(let failures) = phase else { return false }
        let isLast = failures + 1 >= attempts
        phase = isLast ? .closed : .auth(failures: failures + 1)
        return isLast
    }

    // MARK: The end

    /// Begins an orderly stop; returns false if it has begun already. A connection that is not open is closed.
    mutating func beginDraining(at now: Uptime) -> Bool {
        guard drain == .none else { return false }
        drain = .noticed(since: now)
        if phase != .open { phase = .closed }
        return true
    }

    /// Refuses requests from now on, because of a stop that began at `since`.
    mutating func refuseRequests(since: Uptime) { drain = .closing(since: since) }

    /// True if requests are answered with DRAINING.
    var refusesRequests: Bool {
        if case .closing = drain { true } else { false }
    }

    mutating func inputClosed() { isInputClosed = true }

    /// Closes a connection that takes no more requests. Call it when no request is outstanding.
    mutating func closeIfNoMoreRequestsCome() {
        if refusesRequests || isInputClosed { phase = .closed }
    }

    mutating func close() { phase = .closed }
}
