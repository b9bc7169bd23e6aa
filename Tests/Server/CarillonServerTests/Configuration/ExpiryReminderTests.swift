import Configuration
import Foundation
import Testing

@testable import CarillonServer

/// The times at which the operator is warned of a certificate that expires.
struct ExpiryReminderTests {
    private let day: Int64 = 86_400

    @Test func `the operator is warned once 30, 7 and 1 days before the expiry`() {
        var reminder = ExpiryReminder()
        var reported: [Int64: ExpiryReminder.Urgency] = [:]
        for hours in stride(from: 40 * 24, through: -48, by: -1) {
            if let urgency = reminder.takeUrgency(of: "push", secondsLeft: Int64(hours) * 3_600) {
                reported[Int64(hours)] = urgency
            }
        }
        #expect(reported == [720: .month, 168: .week, 24: .day, 0: .expired])
    }

    @Test func `the first check warns at once and a new certificate warns again`() {
        var reminder = ExpiryReminder()
        #expect(reminder.takeUrgency(of: "push", secondsLeft: 3 * day) == .week)
        #expect(reminder.takeUrgency(of: "push", secondsLeft: 3 * day) == nil)
        #expect(reminder.takeUrgency(of: "other", secondsLeft: -1) == .expired)
        #expect(reminder.takeUrgency(of: "push", secondsLeft: 365 * day) == nil)
        #expect(reminder.takeUrgency(of: "push", secondsLeft: 30 * day) == .month)
    }
}
