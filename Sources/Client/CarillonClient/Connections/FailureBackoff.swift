/// The random pauses after failures. Their upper bound doubles from `minimumMilliseconds` to `maximumMilliseconds`; a
/// pause takes half of the bound to all of it.
struct FailureBackoff: Sendable {
    let minimumMilliseconds: UInt64
    let maximumMilliseconds: UInt64

    init(_ configuration: CarillonClient.Configuration) {
        minimumMilliseconds = max(configuration.backoff.milliseconds, 1)
        maximumMilliseconds = max(configuration.maximumBackoff.milliseconds, minimumMilliseconds)
    }

    /// Returns the pause after `failures` in a row.
    func pauseMilliseconds(afterFailures failures: Int, using generator: inout some RandomNumberGenerator) -> UInt64 {
        guard failures > 0 else { return 0 }
        let (doubled, overflow) = minimumMilliseconds.multipliedReportingOverflow(
            by: 1 << UInt64(min(failures - 1, 40)))
        let whole = overflow ? maximumMilliseconds : min(doubled, maximumMilliseconds)
        return UInt64.random(in: (whole + 1) / 2...whole, using: &generator)
    }
}

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
