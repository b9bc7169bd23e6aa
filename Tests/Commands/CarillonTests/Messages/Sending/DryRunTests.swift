import CarillonCommandLine
import CarillonCore
import CarillonTestKit
import Testing

@testable import carillon

private let game = TestApps.game

/// The output of `carillon send --dry-run`.
struct DryRunTests {
    @Test func `a dry run shows the payloads and their sizes`() {
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
}
