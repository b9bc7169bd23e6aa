package import CarillonCore

/// What differs on a connection to FCM from one to APNs: how many streams, when it is closed, and no PINGs.
///
/// Google's front end allows 100 streams and answers more with a GOAWAY, closes what is idle for three minutes, and
/// treats PINGs of a client as an attack. So streams are bounded before the first SETTINGS too, a connection that is
/// idle is closed here before the front end does it, and only the deadlines of answers show that a peer is gone.
package struct FCMConnectionRules: Sendable {
    /// Limits of a connection; durations are in milliseconds.
    package struct Limits: Hashable, Sendable {
        /// Streams before the first SETTINGS, and at most whatever the peer allows.
        package var streams = 100
        /// Idle time after which the connection is closed: less than the three minutes of the front end.
        package var idleMilliseconds: UInt64 = 150_000
        /// One answer. Google asks for at least 10 seconds, which its own calls may take.
        package var answerMilliseconds: UInt64 = 20_000
        /// The time without any byte, while answers are awaited, after which the connection is replaced.
        package var silenceMilliseconds: UInt64 = 25_000

        /// Makes the defaults.
        package init() {}
    }

    /// The action when the timer fires.
    package enum OnTimer: Hashable, Sendable {
        /// Nothing.
        case wait
        /// Close: nothing is in flight, and nothing was for a while. The next push opens a connection.
        case closeIdle
        /// No new streams here: the peer does not answer.
        case drain
    }

    /// What a GOAWAY means (RFC 9113, section 6.8). In each case the streams above its last one were not processed, and
    /// those up to it are answered or unknown.
    package enum OnGoAway: Hashable, Sendable {
        /// The end of a connection as usual: age, idleness, maintenance. Another is opened when there is work, not
        /// before.
        case reconnectOnDemand
        /// The peer asks for less: wait before the next connection.
        case backOff
        /// We broke a rule of the front end: an operator must know, because it is a fault of this program.
        case ownFault
    }

    /// The error codes of RFC 9113, section 7, that matter here.
    private static let noError: UInt32 = 0, protocolError: UInt32 = 1, enhanceYourCalm: UInt32 = 11

    private let limits: Limits
    private var remoteStreams: Int?
    private var openStreams = 0
    private var idleSince: Uptime
    private var lastReceivedAt: Uptime

    /// Makes the rules of a new connection.
    package init(limits: Limits = Limits(), now: Uptime) {
        self.limits = limits
        idleSince = now
        lastReceivedAt = now
    }

    /// The peer has changed how many streams may be open at once (SETTINGS_MAX_CONCURRENT_STREAMS).
    package mutating func settingsReceived(maxConcurrentStreams: Int) {
        remoteStreams = max(0, maxConcurrentStreams)
    }

    /// Bytes were received.
    package mutating func bytesReceived(at now: Uptime) {
        lastReceivedAt = now
    }

    /// The number of streams that are open now.
    package mutating func streamsChanged(open: Int, at now: Uptime) {
        if openStreams == 0, open > 0 { lastReceivedAt = max(lastReceivedAt, now) }
        if open == 0, openStreams > 0 { idleSince = now }
        openStreams = open
    }

    /// The number of streams that may be open at a time.
    package var maximumStreams: Int { min(limits.streams, remoteStreams ?? limits.streams) }

    /// How many more streams may be opened.
    package var streamAllowance: Int { max(0, maximumStreams - openStreams) }

    /// When `timerFired` is to be called next.
    package var deadline: Uptime {
        openStreams == 0
            ? idleSince.later(byMilliseconds: limits.idleMilliseconds)
            : lastReceivedAt.later(byMilliseconds: limits.silenceMilliseconds)
    }

    /// Checks the deadline.
    package func timerFired(at now: Uptime) -> OnTimer {
        guard now >= deadline else { return .wait }
        return openStreams == 0 ? .closeIdle : .drain
    }

    /// Returns what a GOAWAY means.
    ///
    /// - Parameter debugData: what the front end says, for example `session_timed_out`; not needed to decide, but where
    ///   the code alone says too little.
    package static func goAway(errorCode: UInt32, debugData: String) -> OnGoAway {
        switch errorCode {
        case noError: .reconnectOnDemand
        case enhanceYourCalm: debugData.contains("too_many_pings") ? .ownFault : .backOff
        case protocolError: .ownFault
        default: .backOff
        }
    }
}
