import CarillonCore

/// Notices when APNs calls too many tokens of an app bad at once: then it is not the tokens.
///
/// A storm of `BadDeviceToken` or `DeviceTokenNotForTopic` means a wrong environment or a wrong bundle id. While the breaker is
/// open, no device is quarantined for such an answer: a mistake in configuration must not empty the registry.
struct TokenBreaker {
    /// When it opens and closes.
    struct Limits: Hashable {
        /// Bad answers before a share counts at all.
        var least = 50
        /// Opens above this share of bad answers, in percent.
        var openPercent = 10
        /// Closes below this share.
        var closePercent = 5
        /// Answers that are looked back on, about.
        var window = 1_000
    }

    private let limits: Limits
    private var good = 0
    private var bad = 0
    /// Whether devices must not be quarantined for bad tokens now.
    private(set) var isOpen = false

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Counts an answer about a token; true if the breaker has opened or closed with it.
    mutating func answered(isBad: Bool) -> Bool {
        if isBad { bad += 1 } else { good += 1 }
        if good + bad >= limits.window {
            good /= 2
            bad /= 2
        }
        let wasOpen = isOpen
        let percent = bad * 100 / max(1, good + bad)
        if isOpen {
            isOpen = percent >= limits.closePercent
        } else {
            isOpen = bad >= limits.least && percent > limits.openPercent
        }
        return isOpen != wasOpen
    }
}
