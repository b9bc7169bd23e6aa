/// A circuit breaker that opens when the provider calls too many tokens of an app bad at once: then the tokens are not
/// the cause.
///
/// Many answers of `badToken` or `tokenNotForTopic` mean a wrong environment or a wrong bundle id. APNs says with
/// `tokenUnregistered` since when the token is dead, which the registry can compare with the registration. Other
/// providers give no time, so a second breaker counts their answers of that kind. While a breaker is open, no device is
/// quarantined for such an answer: a mistake in configuration must not empty the registry.
struct TokenBreaker {
    /// The thresholds at which the breaker opens and closes.
    struct Limits: Hashable {
        /// The number of bad answers below which the breaker stays closed.
        var minimumBadAnswers = 50
        /// The share of bad answers, in percent, above which the breaker opens.
        var openPercent = 10
        /// The share of bad answers, in percent, below which the breaker closes.
        var closePercent = 5
        /// The number of recent answers that count, roughly.
        var recentAnswers = 1_000

        /// The thresholds for tokens that are not registered any more. Every registry has some such tokens at any time,
        /// and a registry that was not used for a long time has many.
        static let unregistered = Self(openPercent: 50, closePercent: 25)
    }

    private let limits: Limits
    private var good = 0
    private var bad = 0
    /// True if no device is quarantined for a bad token now.
    private(set) var isOpen = false

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Counts an answer about a token; returns true if the breaker opens or closes with it.
    mutating func providerAnswered(isBad: Bool) -> Bool {
        if isBad { bad += 1 } else { good += 1 }
        if good + bad >= limits.recentAnswers {
            good /= 2
            bad /= 2
        }
        let wasOpen = isOpen
        let percent = bad * 100 / max(1, good + bad)
        if isOpen {
            isOpen = percent >= limits.closePercent
        } else {
            isOpen = bad >= limits.minimumBadAnswers && percent > limits.openPercent
        }
        return isOpen != wasOpen
    }
}
