import CarillonCommandLine
import CarillonCore
import Testing

@testable import carillon

struct MessageListCommandTests {
    @Test func `a row of messages stands under its names`() {
        let row = MessageSummary(
            id: MessageID(rawValue: 42), state: .finished, acceptedAt: Timestamp(milliseconds: 1_000), pushType: .alert,
            lane: .bulk, total: 20_000, ended: 20_000, delivered: 19_998, failed: 2, label: "Raid at 21:00",
            sender: "live-ops")
        #expect(
            [MessageSummary.head, row.line(at: Timestamp(milliseconds: 2_500))] == [
                "     message  state      accepted         devices    delivered       failed  label                    "
                    + " sender",
                "          42  finished   1.5 s ago         20,000       19,998            2  Raid at "
                    + "21:00             live-ops",
            ])
        #expect(
            row.json.line
                == #"{"message_id":42,"state":"finished","accepted_at_ms":1000,"push_type":"alert","lane":"bulk","#
                + #""total":20000,"ended":20000,"delivered":19998,"failed":2,"label":"Raid at 21:00","#
                + #""sender":"live-ops"}"#)
    }

    /// A server may not count the failed; then the row must not say that there are none.
    @Test func `a row without details says nothing of failures`() {
        let row = MessageSummary(
            id: MessageID(rawValue: 42), state: .finished, acceptedAt: Timestamp(milliseconds: 1_000), pushType: .alert,
            lane: .bulk, total: 20_000, ended: 20_000)
        #expect(
            row.line(at: Timestamp(milliseconds: 2_500))
                == "          42  finished   1.5 s ago         20,000            -            -  -                     "
                + "    -"
        )
        #expect(!row.json.line.contains("failed"))
    }
}
