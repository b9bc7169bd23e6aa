/// The result of running the timers of a session.
package struct TimerResult: Hashable, Sendable {
    /// The requests whose deadline has passed; their answers are ignored.
    package var expired: [UInt64] = []
    /// The end of the session; nil if it goes on.
    package var sessionEnd: SessionEnd?

    package init(expired: [UInt64] = [], sessionEnd: SessionEnd? = nil) {
        self.expired = expired
        self.sessionEnd = sessionEnd
    }
}
