import CarillonCommandLine
import CarillonCore
import CarillonTestKit
import Testing

@testable import carillon

private let game = TestApps.game

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

    @Test func aSendToAnEmptyAudienceExitsAsNotFound() {
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
        #expect(audience.adviceIfEmpty(app: game).contains(hint))
    }

    /// An update, the state of the message afterwards, and the text of the command.
    struct Updated: CustomTestStringConvertible {
        let update: MessageUpdate
        let state: MessageState
        let text: String

        var testDescription: String { text }
    }

    @Test(
        arguments: [
            Updated(update: .cancel, state: .sending, text: "cancelled: devices without an outcome end as cancelled"),
            Updated(update: .cancel, state: .finished, text: "finished: there is nothing left to cancel"),
            Updated(update: .pause, state: .paused, text: "paused"),
            Updated(update: .resume, state: .scheduled, text: "resumed, scheduled"),
            Updated(update: .pace(2_000), state: .paused, text: "at most 2,000 deliveries a second, paused"),
            Updated(update: .pace(nil), state: .sending, text: "no limit of deliveries a second, sending"),
            Updated(update: .pace(1), state: .finished, text: "finished: there is nothing left to pace"),
        ])
    func anUpdateSaysWhatItHasDone(_ updated: Updated) {
        #expect(updated.update.result(updated.state) == updated.text)
    }

    /// An update, the state and pace of the message before, and the text of the command.
    struct Change: CustomTestStringConvertible {
        let update: MessageUpdate
        let before: MessageState
        var pace: UInt32?
        let text: String

        var testDescription: String { text }
    }

    /// The server's answer has only the state afterwards, so the status before tells the change.
    @Test(
        arguments: [
            Change(update: .pause, before: .paused, text: "was paused already"),
            Change(update: .pause, before: .sending, text: "paused"),
            Change(update: .resume, before: .sending, text: "was not paused, sending"),
            Change(update: .resume, before: .paused, text: "resumed, sending"),
            Change(
                update: .pace(500), before: .sending, pace: 500,
                text: "at most 500 deliveries a second as before, sending"),
            Change(
                update: .pace(500), before: .sending,
                text: "at most 500 deliveries a second (before: no limit), sending"),
            Change(
                update: .pace(nil), before: .sending, pace: 2_000,
                text: "no limit of deliveries a second (before: 2,000), sending"),
            Change(update: .cancel, before: .paused, text: "cancelled: devices without an outcome end as cancelled"),
        ])
    func anUpdateSaysWhatItHasChanged(_ change: Change) {
        var before = MessageStatus(
            state: change.before, acceptedAt: .zero, finishedAt: .zero, total: 9, outcomes: [:])
        before.pace = change.pace
        let after = change.update == .pause ? MessageState.paused : .sending
        #expect(change.update.result(after, before: before) == change.text)
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
