package import CarillonCore

/// The words for verdicts in the tables on the pages Verdicts.
extension Verdict {
    /// The verdict without times, such as `busy` or `dead: token-unregistered`.
    package var words: String {
        switch self {
        case .delivered: "delivered"
        case .notProcessed: "not processed"
        case .unknown: "unknown"
        case .credentialRefused: "credential refused"
        case .tryLater(.serverBusy, _): "busy"
        case .tryLater(.throttled, _): "throttled"
        case .tryLater(.heldBack, _): "held back"
        case .refused(let outcome, nil): "refused: \(outcome)"
        case .refused(let outcome, _): "dead: \(outcome)"
        }
    }

    /// The words of the verdict, with the time after which the provider takes the push again if it has named one, such
    /// as `busy, after 30 s`.
    package var wordsWithDelay: String {
        guard case .tryLater(_, let delayMilliseconds?) = self else { return words }
        return "\(words), after \(delayMilliseconds / 1_000) s"
    }
}
