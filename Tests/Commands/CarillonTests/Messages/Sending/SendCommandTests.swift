import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import CarillonTestKit
import Testing

@testable import carillon

private let app = "com.example.game"

/// The messages that the options of `carillon send` make, and the advice about an empty audience.
struct SendCommandTests {
    @Test func `the options make a message`() throws {
        let command = try SendCommand.parse([
            "--app", app, "--token", "aabb", "--device", "7", "--type", "voip", "--environment", "sandbox", "--title",
            #"A "quoted" title"#, "--expiration", "0", "--not-after", "10s", "--lane", "bulk", "--key",
            "00000000-0000-4000-8000-000000000001", "--collapse-id", "c",
        ])
        let message = try command.makeMessage(at: Timestamp(milliseconds: 5_000))
        let token = DeviceAddress(environment: .sandbox, kind: .voip, token: DeviceToken([0xAA, 0xBB])!)
        #expect(message.audience == .devices([.address(token), .id(DeviceID(rawValue: 7))]))
        #expect(message.content.payload == Array(#"{"aps":{"alert":{"title":"A \"quoted\" title"}}}"#.utf8))
        #expect(message.content.expiration == .once)
        #expect(message.notAfter == Timestamp(milliseconds: 15_000))
        #expect(message.lane == .bulk)
        #expect(message.idempotencyKey?.description == "00000000-0000-4000-8000-000000000001")
    }

    @Test func `the options schedule a message`() throws {
        let command = try SendCommand.parse([
            "--app", app, "--all", "--type", "background", "--at", "+10m", "--pace", "7", "--over-budget", "wait",
            "--id-key", "mid",
        ])
        let message = try command.makeMessage(at: Timestamp(milliseconds: 5_000))
        #expect(message.sendAt == Timestamp(milliseconds: 605_000))
        #expect(message.pace == 7)
        #expect(message.content.overBudget == .wait)
        #expect(message.content.idKey == "mid")
    }

    static let topicOfAll: Condition = {
        guard let condition = try? Condition("'a' in topics && all") else { preconditionFailure("not a condition") }
        return condition
    }()

    static let audiences: [([String], Audience)] = [
        (["--group", "user/1", "--group", "user/2"], .groups([GroupName("user/1")!, GroupName("user/2")!])),
        (["--topic", "/topics/level5"], .topic(TopicName("level5")!)),
        (["--condition", "'a' in topics&&all"], .condition(topicOfAll)), (["--all"], .all),
    ]

    @Test(arguments: audiences)
    func `the options make an audience`(options: [String], audience: Audience) throws {
        let command = try SendCommand.parse(
            ["--app", app, "--body", "Hi", "--except-token", "aa", "--dry-run"] + options)
        let message = try command.makeMessage(at: .zero)
        #expect(message.audience == audience)
        let token = DeviceToken([0xAA])!
        #expect(
            message.excludedDevice == .address(DeviceAddress(environment: .production, kind: .device, token: token)))
        #expect(message.isDryRun)
    }

    static let androidContents: [([String], AndroidContent?)] = [
        ([], nil),
        (
            ["--android-channel", "raids"],
            .overrides(Array(#"{"notification":{"channel_id":"raids"}}"#.utf8))
        ),
        (
            [
                "--android", ##"{"ttl":"5s","notification":{"color":"#aabbcc"}}"##, "--android-image",
                "https://example.com/a.png",
            ],
            .overrides(
                Array(
                    ##"{"notification":{"color":"#aabbcc","image":"https://example.com/a.png"},"ttl":"5s"}"##.utf8))
        ),
        (["--android-raw", #"{"data":{"k":"v"}}"#], .raw(Array(#"{"data":{"k":"v"}}"#.utf8))),
    ]

    @Test(arguments: androidContents)
    func `the options decide what Android devices get`(_ options: [String], _ content: AndroidContent?) throws {
        let command = try SendCommand.parse(["--app", app, "--all", "--body", "Hi"] + options)
        #expect(try command.makeMessage(at: .zero).content.android == content)
    }

    @Test(arguments: [
        (["--android", "{"], "--android is not JSON: line 1, column 2."), (["--android", "[]"], "JSON object"),
    ])
    func `a text that is no content for Android is refused`(_ options: [String], _ text: String) throws {
        let command = try SendCommand.parse(["--app", app, "--all", "--body", "Hi"] + options)
        let error = #expect(throws: ValidationError.self) { try command.makeMessage(at: .zero) }
        #expect(error?.message.contains(text) == true)
    }

    static let webContents: [([String], WebContent?)] = [
        ([], nil),
        (
            ["--web-url", "https://example.com/7"],
            .overrides(Array(#"{"notification":{"navigate":"https://example.com/7"}}"#.utf8))
        ),
        (
            [
                "--web", #"{"ttl":60,"notification":{"body":"b"}}"#, "--web-icon", "/i.png", "--web-image", "/p.png",
            ],
            .overrides(Array(#"{"notification":{"body":"b","icon":"/i.png","image":"/p.png"},"ttl":60}"#.utf8))
        ),
        (["--web-raw", #"{"match":7}"#], .raw(Array(#"{"match":7}"#.utf8))),
    ]

    @Test(arguments: webContents) func `the options decide what browsers get`(
        _ options: [String], _ content: WebContent?
    )
        throws
    {
        let command = try SendCommand.parse(["--app", app, "--all", "--body", "Hi"] + options)
        #expect(try command.makeMessage(at: .zero).content.web == content)
    }

    @Test func `the whole message excludes other options for browsers`() {
        let options = ["--app", app, "--all", "--body", "Hi", "--web-raw", "{}", "--web-url", "https://example.com/7"]
        #expect(throws: (any Error).self) { try SendCommand.parse(options) }
    }

    @Test(
        arguments: [
            (.topic(TopicName("levle5")!), "no device is subscribed to topic levle5"),
            (.groups([GroupName("user/1")!]), "no device is in group user/1"), (.all, "has no devices"),
            (.condition(.all), "the condition holds for no device"),
        ] as [(Audience, String)])
    func `an empty audience has a hint`(_ audience: Audience, _ hint: String) {
        #expect(audience.adviceIfEmpty(app: TestApps.game).contains(hint))
    }
}
