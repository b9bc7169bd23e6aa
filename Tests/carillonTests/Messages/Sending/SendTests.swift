import CarillonCommandLine
import CarillonCore
import CarillonTestKit
import Testing

@testable import carillon

private let game = TestApps.game

/// The texts of `carillon message send`: a dry run, and an audience without devices.
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
}
