/// When to speak of a certificate that will expire: 30, 7 and 1 days before, once each, and when it has.
struct ExpiryWatch: Hashable, Sendable {
    /// How urgent it is.
    enum Urgency: Int, Hashable, Sendable, Comparable {
        case month = 1
        case week
        case day
        case expired

        static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
    }

    private var told: [String: Urgency] = [:]

    /// What is new to say of a certificate; nil if it was said before, or there is nothing to say.
    ///
    /// - Parameters:
    ///   - name: tells certificates apart.
    ///   - seconds: until it expires; below 0 it has.
    mutating func look(at name: String, secondsLeft seconds: Int64) -> Urgency? {
        guard let urgency = Self.urgency(seconds) else {
            // There is a new one.
            told[name] = nil
            return nil
        }
        defer { told[name] = urgency }
        guard let before = told[name] else { return urgency }
        return before < urgency ? urgency : nil
    }

    private static func urgency(_ seconds: Int64) -> Urgency? {
        switch seconds {
        case ...0: .expired
        case ...86_400: .day
        case ...(7 * 86_400): .week
        case ...(30 * 86_400): .month
        default: nil
        }
    }
}
