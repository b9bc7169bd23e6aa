package import CarillonCore

/// The life cycle of one connection to a provider: the answers that it waits for, the streams that it may open, and its
/// end.
///
/// The caller reports what happens, opens at most `streamAllowance` streams, calls `timerFired` a few times a second,
/// and closes or drains when an answer of the machine says so.
package struct ConnectionMachine: Sendable {
    package struct Limits: Hashable, Sendable {
        /// The longest time for the TCP connect.
        package var connectTimeoutMilliseconds: UInt64 = 10_000
        /// The longest time for the TLS handshake.
        package var handshakeTimeoutMilliseconds: UInt64 = 10_000
        /// The longest time for the first SETTINGS.
        package var settingsTimeoutMilliseconds: UInt64 = 5_000
        /// The longest time for one answer.
        package var answerTimeoutMilliseconds: UInt64 = 20_000
        /// The longest time for the answer to a PING.
        package var pingTimeoutMilliseconds: UInt64 = 5_000
        /// The idle time after which a PING checks that the peer is there, or the connection is closed (`usesPings`).
        package var idleMilliseconds: UInt64 = 60_000
        /// The time without a byte, while answers are awaited, after which a PING checks the peer, or the connection is
        /// replaced (`usesPings`).
        package var silenceMilliseconds: UInt64 = 10_000
        /// The time for which work waits while the peer takes none, until one more connection counts as needed. If work
        /// waits for `answerTimeoutMilliseconds`, the connection is given up.
        package var blockedMilliseconds: UInt64 = 5_000
        /// The longest time from SETTINGS to the first answer that shows that the connection works; then the connection
        /// is given up.
        package var proofTimeoutMilliseconds: UInt64 = 60_000
        /// The longest time for the outstanding answers, once no new streams are opened; then the connection is closed.
        package var drainTimeoutMilliseconds: UInt64 = 20_000
        /// The lowest age at which a connection that does not know an APNs topic is replaced. A younger connection
        /// knows every APNs topic that exists, and an app without permission must not cost the others their
        /// connections.
        package var minimumAPNsTopicAgeMilliseconds: UInt64 = 600_000
        /// The number of server errors in a row that end a connection. A stream that was reset or not answered in time
        /// counts too, but ends the connection only if there were at least as many errors as pushes that wait.
        package var serverErrors = 20
        /// The most streams to use, whatever the peer allows.
        package var streams = 1_000
        /// True if the first push goes alone, until its answer shows that the token in it is valid.
        package var provesProviderToken = true
        /// True if PINGs check an idle or silent peer. False for a provider that ends connections because of them: then
        /// an idle connection is closed, and a silent one replaced.
        package var usesPings = true

        package init() {}

        /// The limits of connections without PINGs, for providers that behave like Google's front end: it allows 100
        /// streams, ends connections because of PINGs, and closes what is idle for three minutes. These providers have
        /// no provider token to prove.
        package static var withoutPings: Self {
            var limits = Self()
            limits.streams = 100
            limits.usesPings = false
            limits.provesProviderToken = false
            limits.idleMilliseconds = 150_000
            limits.silenceMilliseconds = 25_000
            return limits
        }
    }

    package enum State: Hashable, Sendable {
        /// TCP is being connected. Leads to `handshaking`, `draining` or `closing`.
        case connecting
        /// TLS with ALPN is being negotiated. Leads to `awaitingSettings`, `draining` or `closing`.
        case handshaking
        /// The peer's SETTINGS are awaited. Leads to `probing`, `open`, `draining` or `closing`.
        case awaitingSettings
        /// One stream is allowed until the first answer shows that the token is valid. Leads to `open`, `draining` or
        /// `closing`.
        case probing
        /// The connection is in full use. Leads to `draining` or `closing`.
        case open
        /// No new streams are opened; the outstanding answers are awaited. Leads to `closing`.
        case draining
        /// The caller closes the connection, or it is closed already: nothing more is read or pulled. No exit.
        case closing
    }

    package enum TimerAction: Hashable, Sendable {
        case wait
        /// Send a PING with this payload.
        case ping(UInt64)
        /// Close: the peer does not answer.
        case close(CloseReason)
        /// Open no new streams here: the connection has not shown in time that it works, or the peer is silent.
        case drain
        /// Close: nothing was sent for a long time, and the next push opens another connection.
        case closeIdle
    }

    /// The action while the peer takes none of the work that waits.
    package enum BlockedAction: Hashable, Sendable {
        case wait
        /// Ask the pool for another connection, if it may open one. Said once.
        case needAnother
        /// Open no new streams here; the pool opens another connection.
        case drain
    }

    /// The timeout for which the connection is closed.
    package enum CloseReason: Hashable, Sendable {
        case connectTimeout, handshakeTimeout, settingsTimeout, pingTimeout, drainTimeout
    }

    package enum AnswerAction: Hashable, Sendable {
        case proceed
        /// Open no new streams here; the pool opens another connection.
        case drain
    }

    private let limits: Limits
    package private(set) var state = State.connecting
    private var enteredAt: Uptime
    private var openedAt: Uptime
    private var lastReceivedAt: Uptime
    private var pingedAt: Uptime?
    private var pings: UInt64 = 0
    private var remoteStreams = 1
    private var serverErrors = 0
    /// The time at which the peer's SETTINGS came.
    private var settingsAt: Uptime = 0
    /// True if an answer has shown that the connection works.
    package private(set) var isProven = false
    /// True if the connection ends for a reason that none of its pushes can be: a deadline has passed, or the peer has
    /// announced the end without an error. Then no push is suspected (`Isolation`).
    package private(set) var endsIndependentlyOfPushes = false
    /// The time since which the peer takes none of the work that waits; nil if it takes work, or no work waits.
    private var blockedSince: Uptime?
    private var hasAskedForAnother = false

    package init(limits: Limits = Limits(), now: Uptime) {
        self.limits = limits
        enteredAt = now
        openedAt = now
        lastReceivedAt = now
    }

    /// Called when TCP is connected: begins to wait for TLS.
    package mutating func tcpConnected(at now: Uptime) {
        guard state == .connecting else { return }
        enter(.handshaking, at: now)
    }

    /// Called when TLS is complete and `h2` was negotiated: begins to wait for the SETTINGS.
    package mutating func handshakeCompleted(at now: Uptime) {
        guard state == .handshaking else { return }
        enter(.awaitingSettings, at: now)
    }

    /// Called when the peer has said how many streams it allows at once (SETTINGS_MAX_CONCURRENT_STREAMS).
    package mutating func settingsReceived(maxConcurrentStreams: Int, at now: Uptime) {
        remoteStreams = max(0, maxConcurrentStreams)
        guard state == .awaitingSettings else { return }
        settingsAt = now
        enter(limits.provesProviderToken ? .probing : .open, at: now)
    }

    package mutating func bytesReceived(at now: Uptime) {
        lastReceivedAt = now
    }

    package mutating func pingAcknowledged(at now: Uptime) {
        pingedAt = nil
        lastReceivedAt = now
    }

    /// Called when a push was answered; returns the action that follows.
    package mutating func pushAnswered(_ answer: ProviderAnswer, at now: Uptime) -> AnswerAction {
        serverErrors = answer.consequence == .countServerError ? serverErrors + 1 : 0
        switch answer.consequence {
        case .none, .replaceAccessToken, .slowDown:
            markProven(at: now)
        case .replaceConnectionForAPNsTopics:
            let isOld = state == .open && now.milliseconds(since: openedAt) >= limits.minimumAPNsTopicAgeMilliseconds
            markProven(at: now)
            if isOld { return drain(at: now) }
        case .countServerError:
            guard serverErrors >= limits.serverErrors else { break }
            return drain(at: now)
        case .replaceConnection, .replaceProviderToken, .refuseCredential:
            return drain(at: now)
        }
        return .proceed
    }

    /// Called when a push was answered with 200. The effect is the same as of `pushAnswered`. This is the fast way for
    /// a case that comes a hundred thousand times a second.
    package mutating func pushDelivered(at now: Uptime) {
        serverErrors = 0
        markProven(at: now)
    }

    /// Marks the connection as proven: an answer has shown that it works.
    private mutating func markProven(at now: Uptime) {
        isProven = true
        if state == .probing { enter(.open, at: now) }
    }

    /// Called when the peer takes no new streams (GOAWAY): begins to drain.
    ///
    /// - Parameter isError: true if the peer names an error as the reason.
    package mutating func goAwayReceived(isError: Bool, at now: Uptime) {
        if !isError { endsIndependentlyOfPushes = true }
        drain(at: now)
    }

    /// Called when a stream ended without an answer: the peer reset it, or this side cancelled it.
    ///
    /// - Parameter unanswered: the number of pushes that waited for an answer, this one included.
    package mutating func streamEndedUnanswered(among unanswered: Int, at now: Uptime) -> AnswerAction {
        // A peer that has lowered its limit refuses the streams above it: that says nothing about the others.
        guard unanswered <= remoteStreams else { return .proceed }
        serverErrors += 1
        // Resets come faster than answers: many resets among many waiting pushes do not mean that all will fail.
        return serverErrors >= max(limits.serverErrors, unanswered) ? drain(at: now) : .proceed
    }

    /// Opens no new streams from now on; the outstanding answers are awaited. Returns `drain` if the connection begins
    /// to drain now, `proceed` if it drains already or is closing.
    @discardableResult
    package mutating func drain(at now: Uptime) -> AnswerAction {
        switch state {
        case .draining, .closing: return .proceed
        case .connecting, .handshaking, .awaitingSettings, .probing, .open:
            enter(.draining, at: now)
            return .drain
        }
    }

    /// Ends the life of the connection: the caller closes it, or the peer has closed it.
    package mutating func close() { state = .closing }

    private mutating func enter(_ state: State, at now: Uptime) {
        self.state = state
        if state == .open { openedAt = now }
        enteredAt = now
        lastReceivedAt = now
    }

    // MARK: Work that waits

    /// Returns true if the peer takes no push now, although it should: it allows no stream, or no more bytes.
    ///
    /// A connection in full use, all of whose streams wait for answers, is not blocked.
    ///
    /// - Parameters:
    ///   - openStreams: the number of streams that are open.
    ///   - windowBytes: the bytes that the peer's connection window takes.
    package func isBlocked(openStreams: Int, windowBytes: Int) -> Bool {
        switch state {
        case .probing: streamAllowance(openStreams: openStreams) == 0 || windowBytes <= 0
        case .open: maximumStreams == 0 || windowBytes <= 0
        case .connecting, .handshaking, .awaitingSettings, .draining, .closing: false
        }
    }

    /// Called when deadlines are checked and the peer takes none of the work that waits (`isBlocked`). Returns the
    /// action that follows.
    package mutating func peerBlocked(at now: Uptime) -> BlockedAction {
        let since = blockedSince ?? now
        blockedSince = since
        let wait = now.milliseconds(since: since)
        if wait >= limits.answerTimeoutMilliseconds { return drain(at: now) == .drain ? .drain : .wait }
        guard wait >= min(limits.blockedMilliseconds, limits.answerTimeoutMilliseconds), !hasAskedForAnother else {
            return .wait
        }
        hasAskedForAnother = true
        return .needAnother
    }

    /// Called when pushes were submitted: the peer takes work.
    ///
    /// - Parameter afterIdle: true if no push was waiting for its answer.
    package mutating func pushesSubmitted(afterIdle: Bool, at now: Uptime) {
        // Without PINGs the silence of a peer that had nothing to say must not count.
        if afterIdle, !limits.usesPings { lastReceivedAt = now }
        peerUnblocked()
    }

    /// Called when deadlines are checked and the connection is not blocked, or no work waits.
    package mutating func peerUnblocked() {
        blockedSince = nil
        hasAskedForAnother = false
    }

    /// Returns a time: unanswered pushes that were submitted before it are overdue.
    package func overdueLimit(at now: Uptime) -> Uptime {
        now.earlier(byMilliseconds: limits.answerTimeoutMilliseconds)
    }

    // MARK: Streams

    /// Returns how many more streams may be opened while `openStreams` are open.
    package func streamAllowance(openStreams: Int) -> Int {
        switch state {
        case .connecting, .handshaking, .awaitingSettings, .draining, .closing: 0
        case .probing: max(0, min(1, remoteStreams) - openStreams)
        case .open: max(0, maximumStreams - openStreams)
        }
    }

    package var maximumStreams: Int { min(limits.streams, remoteStreams) }

    /// The number of streams that are kept for the interactive lane, so that no fan-out delays it: one in sixteen.
    ///
    /// It is 0 while the connection is probed, that is, until an answer has shown that it works. One stream is used
    /// then. If it were kept for the interactive lane, and only bulk were to be sent, no answer would ever come.
    package var interactiveStreams: Int { state == .open ? maximumStreams / 16 : 0 }

    /// Returns the earliest time at which `timerFired` demands an action; nil if the connection is closing.
    ///
    /// - Parameter isWaiting: true if answers are outstanding.
    package func deadline(isWaiting: Bool) -> Uptime? {
        switch state {
        case .connecting: enteredAt + limits.connectTimeoutMilliseconds
        case .handshaking: enteredAt + limits.handshakeTimeoutMilliseconds
        case .awaitingSettings: enteredAt + limits.settingsTimeoutMilliseconds
        case .probing, .open:
            min(pingDeadline(isWaiting: isWaiting), isProven ? .max : settingsAt + limits.proofTimeoutMilliseconds)
        case .draining: enteredAt + limits.drainTimeoutMilliseconds
        case .closing: nil
        }
    }

    private func pingDeadline(isWaiting: Bool) -> Uptime {
        pingedAt.map { $0 + limits.pingTimeoutMilliseconds } ?? lastReceivedAt
            + (isWaiting ? limits.silenceMilliseconds : limits.idleMilliseconds)
    }

    /// Checks the deadline of the current state, and returns the action that follows.
    package mutating func timerFired(isWaiting: Bool, at now: Uptime) -> TimerAction {
        let action = takeDueAction(isWaiting: isWaiting, at: now)
        if case .close = action { endsIndependentlyOfPushes = true }
        return action
    }

    private mutating func takeDueAction(isWaiting: Bool, at now: Uptime) -> TimerAction {
        guard let deadline = deadline(isWaiting: isWaiting), now >= deadline else { return .wait }
        switch state {
        case .connecting: return .close(.connectTimeout)
        case .handshaking: return .close(.handshakeTimeout)
        case .awaitingSettings: return .close(.settingsTimeout)
        case .draining: return .close(.drainTimeout)
        case .closing: return .wait
        case .probing, .open:
            guard now >= pingDeadline(isWaiting: isWaiting) else {
                enter(.draining, at: now)
                return .drain
            }
            guard limits.usesPings else {
                if !isWaiting { return .closeIdle }
                enter(.draining, at: now)
                return .drain
            }
            if pingedAt != nil { return .close(.pingTimeout) }
            pingedAt = now
            pings += 1
            return .ping(pings)
        }
    }
}
