import CarillonCore
import Testing

@testable import CarillonClient

/// The EVENT_CREDIT requests of a subscription, with a window of 8 elements.
struct CreditReportsTests {
    private var reports = CreditReports(window: 8)

    @Test mutating func `a request is due when half of the window is used or for an acknowledgement`() {
        reports.begin(taken: 0, buffered: 0)
        #expect(reports.nextTotalCredit(taken: 3, unsent: 0) == nil)
        #expect(reports.nextTotalCredit(taken: 3, unsent: 2) == 8, "no more credit")
        #expect(reports.nextTotalCredit(taken: 4, unsent: 0) == 12)
        #expect(reports.granted == 8, "nothing was sent")
    }

    @Test mutating func `an answer belongs to the request under way`() {
        reports.begin(taken: 0, buffered: 0)
        reports.sent(1, taken: 4, acknowledged: 3)
        #expect(reports.granted == 12)
        #expect(reports.answered(2) == nil)
        #expect(reports.answered(1)?.acknowledged == 3)
        #expect(reports.pending == nil)
    }

    @Test mutating func `a refusal takes the credit back for a while`() {
        reports.begin(taken: 0, buffered: 0)
        reports.sent(1, taken: 4, acknowledged: 0)
        reports.refused()
        reports.wait(until: 500)
        #expect(reports.granted == 8)
        #expect(reports.notBefore == 500)
        #expect(reports.pending == nil)
        reports.begin(taken: 0, buffered: 0)
        #expect(reports.notBefore == 0, "another connection")
    }
}
