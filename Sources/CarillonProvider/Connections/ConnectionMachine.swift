package import CarillonCore

/// The life cycle of one connection to a provider: what it waits for, how many streams it may open, when it ends.
///
/// Durations are in milliseconds. The shell reports what happens, opens at most `streamAllowance` streams, calls
/// `timerFired` at `deadline`, and closes when an answer of the machine says so.
package struct ConnectionMachine: Sendable {
    /// Deadlines and limits of a connection.
    package struct PushConnectionLimits: Hashable, Sendable {
        /// TCP connect.
        package var connectMilliseconds: UInt64 = 10_000
        /// TLS handshake.
        package var handshakeMilliseconds: UInt64 = 10_000
        /// First SETTINGS.
        package var settingsMilliseconds: UInt64 = 5_000
        /// One answer.
        package var answerMilliseconds: UInt64 = 20_000
        /// Answer to a PING.
        package var pingMilliseconds: UInt64 = 5_000
        /// Idle time after which a PING checks that the peer is there, or the connection is closed (`pings`).
        package var idleMilliseconds: UInt64 = 60_000
        /// Time without a byte, while answers are awaited, after which a PING checks the peer, or after which the
        /// connection is replaced (`pings`).
        package var silenceMilliseconds: UInt64 = 10_000
        /// Work that waits for so long while the peer takes none counts as a need of one more connection. If it waits
        /// for `answerMilliseconds`, the connection is given up.
        package var blockedMilliseconds: UInt64 = 5_000
        /// From SETTINGS to the first answer that shows that the connection works; then it is given up.
        package var proofMilliseconds: UInt64 = 60_000
        /// The time from GOAWAY to closing with answers outstanding.
        package var drainMilliseconds: UInt64 = 20_000
        /// Age from which a connection is replaced when it does not know a topic. A younger connection knows every
        /// topic that exists, and an app without permission must not cost the others their connections.
        package var topicAgeMilliseconds: UInt64 = 600_000
        /// Server errors in a row that end a connection. Streams that were reset or not answered in time count too, but
        /// they end it only if they are as many as the pushes that wait.
        package var serverErrors = 20
        /// Streams to use at most, whatever the peer allows.
        package var streams = 1_000
        /// True if the first push goes alone, until its answer shows that the token in it is valid.
        package var provesToken = true
        /// True if PINGs check an idle or silent peer. False for a provider that ends connections because of them: then
        /// an idle connection is closed, and a silent one replaced.
        package var pings = true

        package init() {}
    }

    /// The state of the connection.
    package enum PushConnectionState: Hashable, Sendable {
        /// TCP. Leaves to `securing` or `closed`.
        case connecting
        /// TLS with ALPN. Leaves to `awaitingSettings` or `closed`.
        case securing
        /// The peer's SETTINGS are awaited. Leaves to `probing`, `open` or `closed`.
        case awaitingSettings
        /// One stream until the first answer shows that the token is valid. Leaves to `open`, `draining` or `closed`.
        case probing
        /// In full use. Leaves to `draining` or `closed`.
        case open
        /// No new streams; the outstanding answers are awaited. Leaves to `closed`.
        case draining
        /// Closed. No exit.
        case closed
    }

    /// The action when the timer fires.
    package enum OnTimer: Hashable, Sendable {
        /// Nothing.
        case wait
        /// Send a PING with this payload.
        case ping(UInt64)
        /// Close: the peer does not answer.
        case close(CloseReason)
        /// No new streams here: the connection has not shown in time that it works, or the peer is silent.
        case drain
        /// Close: nothing was sent for long, and the next push opens another connection.
        case closeIdle
    }

    /// The action while the peer takes none of the work that waits.
    package enum OnBlocked: Hashable, Sendable {
        /// Nothing.
        case wait
        /// The pool opens another connection, if it may. Said once.
        case needAnother
        /// No new streams here; the pool opens another connection.
        case drain
    }

    /// The wait that timed out.
    package enum CloseReason: Hashable, Sendable {
        case connectTimeout, secureTimeout, settingsTimeout, pingTimeout, drainTimeout
    }

    /// The action after an answer.
    package enum OnAnswer: Hashable, Sendable {
        /// Continue.
        case proceed
        /// No new streams here; the pool opens another connection.
        case drain
    }

    private let limits: PushConnectionLimits
    /// The state of the connection.
    package private(set) var state = PushConnectionState.connecting
    private var enteredAt: Uptime
    private var openedAt: Uptime
    private var lastReceivedAt: Uptime
    private var pingedAt: Uptime?
    private var pings: UInt64 = 0
    private var remoteStreams = 1
    private var serverErrors = 0
    /// When the peer's SETTINGS came.
    private var settingsAt: Uptime = 0
    /// True if an answer has shown that the connection works.
    package private(set) var isProven = false
    /// Since when the peer takes none of the work that waits; nil if it takes work, or none waits.
    private var blockedSince: Uptime?
    private var hasAskedForAnother = false

    /// Makes the machine of a connection that is being opened.
    package init(limits: PushConnectionLimits = PushConnectionLimits(), now: Uptime) {
        self.limits = limits
        enteredAt = now
        openedAt = now
        lastReceivedAt = now
    }

    /// TCP is connected.
    package mutating func connected(at now: Uptime) {
        guard state == .connecting else { return }
        enter(.securing, now)
    }

    /// TLS is complete and `h2` was negotiated.
    package mutating func secured(at now: Uptime) {
        guard state == .securing else { return }
        enter(.awaitingSettings, now)
    }

    /// The peer has changed how many streams may be open at once (SETTINGS_MAX_CONCURRENT_STREAMS).
    package mutating func settingsReceived(maxConcurrentStreams: Int, at now: Uptime) {
        remoteStreams = max(0, maxConcurrentStreams)
        guard state == .awaitingSettings else { return }
        settingsAt = now
        enter(limits.provesToken ? .probing : .open, now)
    }

    /// Bytes were received.
    package mutating func bytesReceived(at now: Uptime) {
        lastReceivedAt = now
    }

    /// The answer to our PING was received.
    package mutating func pingAcknowledged(at now: Uptime) {
        pingedAt = nil
        lastReceivedAt = now
    }

    /// An answer to a push was received.
    package mutating func answered(_ answer: ProviderAnswer, at now: Uptime) -> OnAnswer {
        serverErrors = answer.consequence == .serverError ? serverErrors + 1 : 0
        switch answer.consequence {
        case .none, .replaceToken, .slowDown:
            proved(at: now)
        case .renewTopics:
            let isOld = state == .open && now.milliseconds(since: openedAt) >= limits.topicAgeMilliseconds
            proved(at: now)
            if isOld { return drain(now) }
        case .serverError:
            guard serverErrors >= limits.serverErrors else { break }
            return drain(now)
        case .replaceConnection, .renewToken, .refuseCredential:
            return drain(now)
        }
        return .proceed
    }

    /// The answer was 200. The same as `answered`, for the case that comes a hundred thousand times a second.
    package mutating func delivered(at now: Uptime) {
        serverErrors = 0
        proved(at: now)
    }

    private mutating func proved(at now: Uptime) {
        isProven = true
        if state == .probing { enter(.open, now) }
    }

    /// The peer takes no new streams, or the pool wants the connection closed.
    package mutating func drainingBegan(at now: Uptime) {
        _ = drain(now)
    }

    /// A stream ended without an answer: the peer reset it, or we cancelled it.
    ///
    /// - Parameter open: streams that were open, this one included.
    package mutating func streamEndedUnanswered(open: Int, at now: Uptime) -> OnAnswer {
        // A peer that has lowered its limit refuses the streams above it: that says nothing about the others.
        guard open <= remoteStreams else { return .proceed }
        serverErrors += 1
        // Resets come faster than answers: many resets among many waiting pushes do not mean that all will fail.
        return serverErrors >= max(limits.serverErrors, open) ? drain(now) : .proceed
    }

    private mutating func drain(_ now: Uptime) -> OnAnswer {
        switch state {
        case .draining, .closed: return .proceed
        case .connecting, .securing, .awaitingSettings, .probing, .open:
            enter(.draining, now)
            return .drain
        }
    }

    /// The connection is closed.
    package mutating func closed() {
        state = .closed
    }

    private mutating func enter(_ state: PushConnectionState, _ now: Uptime) {
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
    ///   - open: streams that are open.
    ///   - window: bytes that the peer's connection window takes.
    package func isBlocked(open: Int, window: Int) -> Bool {
        switch state {
        case .probing: streamAllowance(open: open) == 0 || window <= 0
        case .open: maximumStreams == 0 || window <= 0
        case .connecting, .securing, .awaitingSettings, .draining, .closed: false
        }
    }

    /// The connection is blocked and work waits. Call it when deadlines are checked.
    package mutating func blockedWorkWaits(at now: Uptime) -> OnBlocked {
        let since = blockedSince ?? now
        blockedSince = since
        let wait = now.milliseconds(since: since)
        if wait >= limits.answerMilliseconds { return drain(now) == .drain ? .drain : .wait }
        guard wait >= min(limits.blockedMilliseconds, limits.answerMilliseconds), !hasAskedForAnother else {
            return .wait
        }
        hasAskedForAnother = true
        return .needAnother
    }

    /// The peer takes work: pushes were submitted.
    ///
    /// - Parameter afterIdle: true if no push was waiting for its answer.
    package mutating func pushesSubmitted(afterIdle: Bool, at now: Uptime) {
        // Without PINGs the silence of a peer that had nothing to say must not count.
        if afterIdle, !limits.pings { lastReceivedAt = now }
        unblocked()
    }

    /// The connection is not blocked, or no work waits. Call it when deadlines are checked.
    package mutating func unblocked() {
        blockedSince = nil
        hasAskedForAnother = false
    }

    // MARK: Streams

    /// Returns how many more streams may be opened while `open` are open.
    package func streamAllowance(open: Int) -> Int {
        switch state {
        case .connecting, .securing, .awaitingSettings, .draining, .closed: 0
        case .probing: max(0, min(1, remoteStreams) - open)
        case .open: max(0, maximumStreams - open)
        }
    }

    /// The number of streams that may be open at a time.
    package var maximumStreams: Int { min(limits.streams, remoteStreams) }

    /// The streams that are kept for the interactive lane, so that no fan-out delays it: one in sixteen.
    ///
    /// None until the connection has shown that it works: with only bulk to send, it never would.
    package var interactiveStreams: Int { state == .open ? maximumStreams / 16 : 0 }

    /// Returns when `timerFired` is to be called next; nil if the connection is closed.
    ///
    /// - Parameter isWaiting: true if answers are outstanding.
    package func deadline(isWaiting: Bool) -> Uptime? {
        switch state {
        case .connecting: enteredAt + limits.connectMilliseconds
        case .securing: enteredAt + limits.handshakeMilliseconds
        case .awaitingSettings: enteredAt + limits.settingsMilliseconds
        case .probing, .open:
            min(pingDeadline(isWaiting: isWaiting), isProven ? .max : settingsAt + limits.proofMilliseconds)
        case .draining: enteredAt + limits.drainMilliseconds
        case .closed: nil
        }
    }

    private func pingDeadline(isWaiting: Bool) -> Uptime {
        pingedAt.map { $0 + limits.pingMilliseconds } ?? lastReceivedAt
            + (isWaiting ? limits.silenceMilliseconds : limits.idleMilliseconds)
    }

    /// Checks the deadline of the current state.
    package mutating func timerFired(isWaiting: Bool, at now: Uptime) -> OnTimer {
        guard let deadline = deadline(isWaiting: isWaiting), now >= deadline else { return .wait }
        switch state {
        case .connecting: return .close(.connectTimeout)
        case .securing: return .close(.secureTimeout)
        case .awaitingSettings: return .close(.settingsTimeout)
        case .draining: return .close(.drainTimeout)
        case .closed: return .wait
        case .probing, .open:
            guard now >= pingDeadline(isWaiting: isWaiting) else { return drain(now) == .drain ? .drain : .wait }
            guard limits.pings else { return isWaiting ? (drain(now) == .drain ? .drain : .wait) : .closeIdle }
            if pingedAt != nil { return .close(.pingTimeout) }
            pingedAt = now
            pings += 1
            return .ping(pings)
        }
    }
}
