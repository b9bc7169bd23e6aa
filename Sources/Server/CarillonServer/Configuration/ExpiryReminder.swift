/// The rule for warnings of a certificate that will expire: 30, 7 and 1 days before, once each, and when it has
/// expired.
struct ExpiryReminder: Hashable, Sendable {
    /// The urgency of a warning.
    enum Urgency: Int, Hashable, Sendable, Comparable {
        case month = 1
        case week
        case day
        case expired

        static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
    }

    private var reported: [String: Urgency] = [:]

    /// Returns the urgency to report of a certificate now; nil if it was reported before, or if there is nothing to
    /// report.
    ///
    /// - Parameters:
    ///   - name: the name of the certificate; each certificate has warnings of its own.
    ///   - seconds: until it expires; at most 0 if it has expired.
    mutating func takeUrgency(of name: String, secondsLeft seconds: Int64) -> Urgency? {
        guard let urgency = Self.urgency(seconds) else {
            // The certificate was replaced.
            reported[name] = nil
            return nil
        }
        defer { reported[name] = urgency }
        guard let before = reported[name] else { return urgency }
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
