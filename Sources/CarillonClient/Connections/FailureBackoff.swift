/// The random pauses after failures. Their upper bound doubles from `minimum` to `maximum` milliseconds; a pause takes
/// half of the bound to all of it.
struct FailureBackoff: Sendable {
    let minimum: UInt64
    let maximum: UInt64

    init(_ configuration: CarillonClient.Configuration) {
        minimum = max(configuration.backoff.milliseconds, 1)
        maximum = max(configuration.backoffLimit.milliseconds, minimum)
    }

    /// Returns the pause after `failures` in a row, in milliseconds.
    func pause(failures: Int, using generator: inout some RandomNumberGenerator) -> UInt64 {
        guard failures > 0 else { return 0 }
        let (doubled, overflow) = minimum.multipliedReportingOverflow(by: 1 << UInt64(min(failures - 1, 40)))
        let whole = overflow ? maximum : min(doubled, maximum)
        return UInt64.random(in: (whole + 1) / 2...whole, using: &generator)
    }
}
