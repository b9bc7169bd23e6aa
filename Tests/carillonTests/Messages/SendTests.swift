import CarillonCommandLine
import CarillonCore
import Testing

@testable import carillon

private let game = AppID("com.example.game")!

struct SendTests {
    @Test func aDryRunShowsThePayloadsAndTheirSizes() {
        var content = MessageContent(
            app: game, pushType: .alert,
            localized: LocalizedPayload(
                payload: Array(#"{"aps":{"alert":"a"}}"#.utf8),
                bodies: [LanguageBody(language: "zh", payload: Array(#"{"aps":{"alert":"你好"}}"#.utf8))]))
        content.idKey = "mid"
        let run = DryRun(of: Message(content: content, audience: .all), total: 5_000)
        #expect(
            run.text == """
                dry run  5,000 devices, nothing is sent
                payload     21 of 4,096 bytes  {"aps":{"alert":"a"}}
                payload zh  26 of 4,096 bytes  {"aps":{"alert":"你好"}}
                The server adds the message's number as 'mid'.
                """)
        #expect(
            run.json.line == #"{"dry_run":true,"total":5000,"payload_limit":4096,"payloads":["#
                + #"{"bytes":21,"payload":"{\"aps\":{\"alert\":\"a\"}}"},"#
                + #"{"language":"zh","bytes":26,"payload":"{\"aps\":{\"alert\":\"你好\"}}"}]}"#)
    }

    @Test func anEmptyAudienceIsAMiss() {
        var status = MessageStatus(
            state: .finished, acceptedAt: .zero, finishedAt: .zero, total: 0, outcomes: [:])
        #expect(status.hasMissed)
        (status.total, status.outcomes) = (1, [.delivered: 1])
        #expect(!status.hasMissed)
        status.outcomes = [.muted: 1]
        #expect(status.hasMissed)
    }

    @Test(
        arguments: [
            (.topic(TopicName("levle5")!), "no device is subscribed to topic levle5"),
            (.groups([GroupName("user/1")!]), "no device is in group user/1"), (.all, "has no devices"),
            (.condition(.all), "the condition holds for no device"),
        ] as [(Audience, String)])
    func anEmptyAudienceHasAHint(_ audience: Audience, _ hint: String) {
        #expect(audience.emptyHint(app: game).contains(hint))
    }

    @Test(
        arguments: [
            (.cancel, .sending, "cancelled: devices without an outcome end as cancelled"),
            (.cancel, .finished, "finished: there is nothing left to cancel"), (.pause, .paused, "paused"),
            (.resume, .scheduled, "resumed, scheduled"),
            (.pace(2_000), .paused, "at most 2,000 deliveries a second, paused"),
            (.pace(nil), .sending, "no limit of deliveries a second, sending"),
            (.pace(1), .finished, "finished: there is nothing left to pace"),
        ] as [(MessageUpdate, MessageState, String)])
    func anUpdateSaysWhatItHasDone(_ update: MessageUpdate, _ state: MessageState, _ text: String) {
        #expect(update.result(state) == text)
    }

    /// Checks the report of an update: the server's answer has only the state afterwards, so the status before tells
    /// the change.
    @Test(
        arguments: [
            (.pause, .paused, nil, "was paused already"), (.pause, .sending, nil, "paused"),
            (.resume, .sending, nil, "was not paused, sending"), (.resume, .paused, nil, "resumed, sending"),
            (.pace(500), .sending, 500, "at most 500 deliveries a second as before, sending"),
            (.pace(500), .sending, nil, "at most 500 deliveries a second (before: no limit), sending"),
            (.pace(nil), .sending, 2_000, "no limit of deliveries a second (before: 2,000), sending"),
            (.cancel, .paused, nil, "cancelled: devices without an outcome end as cancelled"),
        ] as [(MessageUpdate, MessageState, UInt32?, String)])
    func anUpdateSaysWhatItHasChanged(_ update: MessageUpdate, _ state: MessageState, _ pace: UInt32?, _ text: String) {
        var before = MessageStatus(state: state, acceptedAt: .zero, finishedAt: .zero, total: 9, outcomes: [:])
        before.pace = pace
        #expect(update.result(update == .pause ? .paused : .sending, before: before) == text)
    }

    @Test func theNoteNamesTheCommandsForAMessageThatGoesOn() {
        let note = MessageWatch.closingNote(MessageID(rawValue: 7), app: game)
        #expect(note.contains("carillon message watch 7 --app com.example.game "))
        #expect(note.contains("carillon message cancel 7 --app com.example.game "))
    }

    @Test func aShortTokenIsNamed() {
        func warning(_ count: Int) -> String? {
            DeviceAddress(
                environment: .production, kind: .device, token: DeviceToken([UInt8](repeating: 1, count: count))!
            ).lengthWarning
        }
        #expect(warning(2)?.hasPrefix("the token has 2 bytes") == true)
        #expect(warning(1)?.hasPrefix("the token has 1 byte;") == true)
        #expect(warning(32) == nil)
    }
}
