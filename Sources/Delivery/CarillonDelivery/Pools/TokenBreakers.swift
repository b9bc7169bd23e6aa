import CarillonCore

/// The breakers of all apps and destinations. A breaker opens when a destination calls too many tokens of an app bad.
/// While it is open, no device is quarantined for such an answer.
struct TokenBreakers: Sendable {
    /// The evidence of an answer about a token.
    enum Report {
        /// The token is good: a push to it was delivered.
        case good
        /// The token is not one of this app.
        case bad
        /// The token no longer belongs to the app; the provider does not say since when.
        case unregistered

        /// Reads the evidence from the outcome of a refusal; nil if the outcome says nothing about the token.
        init?(_ outcome: Outcome) {
            switch outcome {
            case .badToken, .tokenNotForTopic: self = .bad
            case .tokenUnregistered: self = .unregistered
            default: return nil
            }
        }
    }

    private struct Key: Hashable {
        var app: AppID
        var destination: PushDestination
        var report: Report
    }

    private var breakers: [Key: TokenBreaker] = [:]

    /// Returns true if no device of the app is quarantined for such an answer now.
    func isOpen(for report: Report, of app: AppID, from destination: PushDestination) -> Bool {
        breakers[Key(app: app, destination: destination, report: report)]?.isOpen == true
    }

    /// Counts an answer about a token. Returns a report if an alarm begins or ends with it: the first breaker of the
    /// app and destination opens, or the last one closes.
    mutating func tokenReported(
        _ report: Report, of app: AppID, for destination: PushDestination
    ) -> DeliveryEngine.AlarmReport? {
        // While no token is bad there is no breaker, and nothing to count.
        guard report != .good || !breakers.isEmpty else { return nil }
        if report != .good {
            let key = Key(app: app, destination: destination, report: report)
            if breakers[key] == nil {
                breakers[key] = TokenBreaker(
                    limits: report == .bad ? TokenBreaker.Limits() : .unregistered)
            }
        }
        let keys = [Report.bad, .unregistered].map { Key(app: app, destination: destination, report: $0) }
        let wasOpen = keys.contains { breakers[$0]?.isOpen == true }
        // A breaker judges one kind of answer. All others count as good for it, also those of the other kind.
        for key in keys { _ = breakers[key]?.providerAnswered(isBad: key.report == report) }
        let isOpen = keys.contains { breakers[$0]?.isOpen == true }
        return isOpen == wasOpen ? nil : .badTokens(app, destination, isOver: !isOpen)
    }
}
