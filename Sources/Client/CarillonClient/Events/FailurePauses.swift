/// The pauses of a subscription after failures in a row, which grow and have a random part.
struct FailurePauses {
    private let backoff: FailureBackoff
    private var failures = 0
    private var generator = SystemRandomNumberGenerator()

    init(_ backoff: FailureBackoff) {
        self.backoff = backoff
    }

    /// Begins anew: a request was answered.
    mutating func succeeded() { failures = 0 }

    /// Counts a failure. Returns the milliseconds until the next attempt.
    mutating func countFailure() -> UInt64 {
        failures += 1
        return backoff.pauseMilliseconds(afterFailures: failures, using: &generator)
    }
}
