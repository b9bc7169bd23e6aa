import CarillonCommandLine
import CarillonCore
import Testing

@testable import carillon

/// The sentence and the table of `carillon message trace`.
struct MessageTraceOutputTests {
    private static let now = Timestamp(text: "2026-11-21T12:10:00Z")!
    private static let level5 = "'level5' in topics"

    private static func trace(
        _ addressing: MessageTrace.Addressing, _ outcome: Outcome = .pending, state: MessageState = .sending
    ) -> MessageTrace {
        var trace = MessageTrace(
            device: DeviceID(rawValue: 17), state: state, addressing: addressing, outcome: outcome)
        trace.language = ""
        return trace
    }

    private static func attempt(_ time: String, status: UInt16, reason: String = "", connection: UInt32 = 4)
        -> TraceAttempt
    {
        TraceAttempt(endedAt: Timestamp(text: time)!, connectionNumber: connection, status: status, reason: reason)
    }

    private static func changed(_ trace: MessageTrace, _ change: (inout MessageTrace) -> Void) -> MessageTrace {
        var trace = trace
        change(&trace)
        return trace
    }

    /// A trace, the audience of its message, and the sentence that explains it.
    struct Sentence: CustomTestStringConvertible {
        let trace: MessageTrace
        /// The condition of the audience; nil if the message names its devices.
        var audience: String?
        let text: String

        var testDescription: String { text }
    }

    static let sentences = [
        Sentence(
            trace: changed(trace(.recipient, .delivered)) {
                $0.attempts = [attempt("2026-11-21T12:03:07Z", status: 200)]
            }, audience: level5, text: "Delivered at 12:03:07 by connection 4 (200)."),
        Sentence(trace: trace(.recipient, .delivered), audience: level5, text: "Delivered."),
        Sentence(
            trace: trace(.noRecipient), audience: level5,
            text: "Not a recipient: the device is not subscribed to topic level5."),
        Sentence(
            trace: trace(.noRecipient), audience: "'user/42' in groups",
            text: "Not a recipient: the device is not in group user/42."),
        Sentence(
            trace: trace(.noRecipient), audience: "'a' in topics && locale == 'zh'",
            text: "Not a recipient: the condition 'a' in topics && locale == 'zh' does not hold for the device."),
        Sentence(trace: trace(.noRecipient), text: "Not a recipient: the message does not name the device."),
        Sentence(
            trace: changed(trace(.noRecipient)) { $0.sources = [.all] }, audience: "all",
            text: "Not a recipient: the device joined the audience too late, or was left out of it."),
        Sentence(
            trace: trace(.wouldBeRecipient, state: .scheduled), audience: level5,
            text: "Not decided yet: the device would be a recipient now; the message is scheduled."),
        Sentence(
            trace: changed(trace(.recipient, .muted)) { $0.isMuted = true }, audience: level5,
            text: "Not sent: the device is muted."),
        Sentence(
            trace: changed(trace(.recipient, .muted)) { $0.mutedGroups = [GroupName("user/42")!] }, audience: level5,
            text: "Not sent: group user/42 is muted."),
        Sentence(
            trace: changed(trace(.recipient)) {
                $0.attempts = [attempt("2026-11-20T12:03:07Z", status: 503, reason: "ServiceUnavailable")]
                $0.nextAttemptAt = Timestamp(text: "2026-11-22T00:00:01Z")
            }, audience: level5,
            text: "Waiting: next attempt at 2026-11-22T00:00:01Z, last answer 503 ServiceUnavailable."),
        Sentence(trace: trace(.recipient, state: .paused), audience: level5, text: "Waiting: the message is paused."),
        Sentence(trace: trace(.recipient), audience: level5, text: "Waiting: no attempt has been made yet."),
        Sentence(
            trace: changed(trace(.recipient, .tokenUnregistered)) {
                $0.attempts = [attempt("2026-11-21T12:03:07Z", status: 410, reason: "Unregistered")]
            }, audience: level5, text: "Refused at 12:03:07: 410 Unregistered."),
        Sentence(
            trace: changed(trace(.recipient, .gaveUp)) {
                $0.attempts = [attempt("2026-11-21T12:03:07Z", status: 0, reason: "timeout")]
            }, audience: level5, text: "Not delivered: every attempt failed; the last answer was timeout at 12:03:07."),
    ]

    @Test(arguments: sentences) func `a sentence says why the device got the message or not`(_ sentence: Sentence) {
        #expect(sentence.trace.explanation(audience: sentence.audience, at: Self.now) == sentence.text)
    }

    private static let full = changed(trace(.recipient, .delivered)) {
        $0.sources = [.topic(TopicName("level5")!, through: GroupName("user/ada")!), .term("locale == 'zh'")]
        $0.attempts = [
            attempt("2026-11-21T12:03:05Z", status: 503, reason: "ServiceUnavailable", connection: 3),
            attempt("2026-11-21T12:03:07Z", status: 200),
        ]
        $0.silentBudgetLeft = 2
    }

    @Test func `the table shows the facts`() {
        #expect(
            TwoColumnTable.text(of: Self.full.rows(MessageID(rawValue: 42), at: Self.now), columns: nil) == """
                message     42  sending
                device      17
                audience    recipient, through topic level5 of group user/ada, through the term locale == 'zh'
                outcome     delivered
                language    the default body
                budget      2 silent pushes left
                attempts    2
                  12:03:05  503 ServiceUnavailable  connection 3
                  12:03:07  200  connection 4
                """)
    }

    @Test(arguments: [MessageTrace.Addressing.noRecipient, .wouldBeRecipient, .wouldBeNoRecipient])
    func `the table shows no outcome of a device that is not a recipient`(_ addressing: MessageTrace.Addressing) {
        let rows = Self.trace(addressing).rows(MessageID(rawValue: 42), at: Self.now)
        #expect(rows.map(\.name) == ["message", "device", "audience", "language", "attempts"])
        let pending = Self.trace(.recipient).rows(MessageID(rawValue: 42), at: Self.now)
        #expect(pending.contains { $0 == ("outcome", "pending") })
    }

    /// The recipient of a broadcast push is the channel, which has nothing of a device.
    @Test func `the table of a broadcast push has no device`() {
        let trace = Self.changed(Self.trace(.recipient, .noChannel, state: .finished)) {
            $0.device = .channel
            $0.attempts = [Self.attempt("2026-11-21T12:03:07Z", status: 400, reason: "ChannelNotRegistered")]
            $0.attempts[0].uniqueID = "0e9a64d6"
        }
        #expect(trace.explanation(audience: nil, at: Self.now) == "Refused at 12:03:07: 400 ChannelNotRegistered.")
        #expect(
            TwoColumnTable.text(of: trace.rows(MessageID(rawValue: 42), at: Self.now), columns: nil) == """
                message     42  finished
                outcome     no-channel
                attempts    1
                  12:03:07  400 ChannelNotRegistered  connection 4  apns-unique-id 0e9a64d6
                """)
        let json = trace.json(MessageID(rawValue: 42), explanation: "").line
        #expect(json.contains(#""status":400,"reason":"ChannelNotRegistered","unique_id":"0e9a64d6""#))
    }

    @Test func `the JSON of a trace has stable names`() {
        #expect(
            Self.full.json(MessageID(rawValue: 42), explanation: "Delivered.").line
                == #"{"message_id":42,"device_id":17,"explanation":"Delivered.","state":"sending","#
                + #""addressing":"recipient","sources":[{"kind":"topic","name":"level5","through":"user/ada"},"#
                + #"{"kind":"term","name":"locale == 'zh'"}],"outcome":"delivered","quarantined":false,"muted":false,"#
                + #""muted_groups":[],"language":"","silent_budget_left":2,"attempts":["#
                + #"{"at_ms":1795262585000,"connection":3,"status":503,"reason":"ServiceUnavailable"},"#
                + #"{"at_ms":1795262587000,"connection":4,"status":200}]}"#)
    }
}
