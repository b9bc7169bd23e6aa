import CarillonCore

/// Whether too many tokens of an app are called bad by a destination: then no device is quarantined for such an answer.
struct TokenBreakers: Sendable {
    /// What an answer says about a token.
    enum Answer {
        /// A push to the token was delivered.
        case good
        /// The token is not one of this app.
        case bad
        /// The token was one of the app and is no longer; the provider does not say since when.
        case unregistered
    }

    private struct Key: Hashable {
        var app: AppID
        var destination: PushDestination
        var answer: Answer
    }

    private var breakers: [Key: TokenBreaker] = [:]

    /// Returns true if no device of the app is quarantined for such an answer now.
    func isOpen(_ app: AppID, _ destination: PushDestination, for answer: Answer) -> Bool {
        breakers[Key(app: app, destination: destination, answer: answer)]?.isOpen == true
    }

    /// Counts an answer about a token. Returns an alarm if the first breaker of the app and destination opens with it,
    /// or the last closes.
    mutating func answered(
        _ answer: Answer, of app: AppID, for destination: PushDestination
    ) -> DeliveryEngine.Alarm? {
        // While no token is bad there is no breaker, and nothing to count.
        guard answer != .good || !breakers.isEmpty else { return nil }
        if answer != .good {
            let key = Key(app: app, destination: destination, answer: answer)
            if breakers[key] == nil {
                breakers[key] = TokenBreaker(limits: answer == .bad ? TokenBreaker.Limits() : TokenBreaker.unregistered)
            }
        }
        let keys = [Answer.bad, .unregistered].map { Key(app: app, destination: destination, answer: $0) }
        let wasOpen = keys.contains { breakers[$0]?.isOpen == true }
        for key in keys { _ = breakers[key]?.answered(isBad: key.answer == answer) }
        let isOpen = keys.contains { breakers[$0]?.isOpen == true }
        return isOpen == wasOpen ? nil : .badTokens(app, destination, isOver: !isOpen)
    }
}
