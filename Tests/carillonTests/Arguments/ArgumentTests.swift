import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Foundation
import Testing

@testable import carillon

private let app = "com.example.game"

/// Returns the error of parsing a command line; nil for success.
private func complaint(_ arguments: [String]) -> String? {
    do {
        _ = try Carillon.parseAsRoot(arguments)
        return nil
    } catch {
        return Carillon.message(for: error)
    }
}

struct ArgumentTests {
    typealias Address = CarillonClient.Configuration.Address

    @Test(arguments: [
        ("127.0.0.1:7474", Address.tcp(host: "127.0.0.1", port: 7474)),
        ("[::1]:80", .tcp(host: "::1", port: 80)),
        ("push.internal:1", .tcp(host: "push.internal", port: 1)),
        ("unix:/run/carillon.sock", .unixSocket(path: "/run/carillon.sock")),
        ("unix:", nil), ("host", nil), ("host:", nil), (":80", nil), ("host:0", nil), ("host:65536", nil),
        ("::1:80", nil), ("[]:80", nil),
    ])
    func anAddressIsHostAndPortOrAUnixSocket(text: String, address: Address?) {
        #expect(Address(text) == address)
    }

    @Test(
        arguments: [
            ("90", 90_000), ("90s", 90_000), ("500ms", 500), ("5m", 300_000), ("2h", 7_200_000), ("1d", 86_400_000),
            ("0", 0), ("", nil), ("s", nil), ("-1", nil), ("1.5s", nil), ("5 m", nil), ("99999999999999999999", nil),
            ("18446744073709551615d", nil),
        ] as [(String, UInt64?)])
    func aDurationIsANumberWithAUnit(text: String, milliseconds: UInt64?) {
        #expect(TimeSpan(argument: text)?.milliseconds == milliseconds)
    }

    @Test func anExpirationIsAWordOrATimeFromNow() {
        let now = Timestamp(milliseconds: 1_000_500)
        #expect(ExpirationArgument(argument: "never-set")?.expiration(at: now) == .unspecified)
        #expect(ExpirationArgument(argument: "0")?.expiration(at: now) == .once)
        #expect(ExpirationArgument(argument: "60")?.expiration(at: now) == .at(seconds: 1_060))
        #expect(ExpirationArgument(argument: "1ms") == nil)
    }

    @Test(
        arguments: [
            ("2026-07-01T12:00:00Z", 1_782_907_200_000), ("1782907200000", 1_782_907_200_000), ("yesterday", nil),
            ("2026-07-01 12:00:00.1239z", 1_782_907_200_123), ("2026-07-01T14:00:00+02:00", 1_782_907_200_000),
            ("2026-07-01t10:30:00-0130", 1_782_907_200_000), ("2026-07-01T14:00:00+02", 1_782_907_200_000),
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00+01:00", nil),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000),
            ("2025-02-29T00:00:00Z", nil), ("2026-13-01T00:00:00Z", nil), ("2026-07-01T24:00:00Z", nil),
            ("2026-07-01T12:00:00", nil), ("2026-07-01T12:00:00.Z", nil), ("2026-07-01T12:00:00Zx", nil),
            ("2000-03-01T00:00:00Z", 951_868_800_000), ("９999", nil), ("", nil),
            ("9999-12-31T23:59:60Z", 253_402_300_800_000),
        ] as [(String, UInt64?)])
    func aTimeIsReadFromISO8601OrMilliseconds(text: String, milliseconds: UInt64?) {
        #expect(Timestamp(text: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        ["send", "--app", app, "--device", "1", "--title", "Hi"],
        ["send", "--app", app, "--token", "aabb", "--type", "background"],
        ["lookup", "--app", app, "--device", "1"],
        ["register", "--app", app, "--token", "aabb", "--seen-at", "5"],
        ["ping", "--server", "unix:/x", "--timeout", "500ms"],
        ["device", "show", "--app", app, "--device", "1"],
        ["device", "memberships", "--app", app, "--token", "aabb"],
        ["device", "update", "--app", app, "--device", "1", "--attribute", "tier=", "--mute"],
        ["group", "join", "user/42", "--app", app, "--device", "1", "--title", "New sign-in"],
        ["group", "leave", "user/42", "--app", app, "--token", "aabb", "--clear-topics"],
        ["group", "switch", "--from", "a", "--to", "b", "--app", app, "--device", "1"],
        ["group", "members", "user/42", "--app", app, "--limit", "5"],
        ["group", "list", "--app", app, "--prefix", "user/"],
        ["group", "mute", "user/42", "--app", app],
        ["group", "unmute", "user/42", "--app", app],
        ["group", "topics", "user/42", "--app", app],
        ["topic", "subscribe", "/topics/level5", "b", "--app", app, "--device", "1", "--group", "user/42"],
        ["topic", "unsubscribe", "level5", "--app", app, "--group", "user/42"],
        ["topic", "list", "--app", app],
        ["topic", "devices", "level5", "--app", app],
        ["audience", "explain", "'a' in topics", "--app", app],
        ["send", "--app", app, "--group", "a", "--group", "b", "--except", "4", "--body", "Hi"],
        ["send", "--app", app, "--all", "--dry-run", "--body-in", "zh=a", "--only-translations"],
        ["import", "-", "--app", app, "--format", "csv"],
        ["send", "--app", app, "--all", "--body", "a", "--at", "+10m", "--pace", "5", "--id-key", "mid", "--watch"],
        ["send", "--app", app, "--all", "--type", "background", "--over-budget", "wait"],
        ["message", "list", "--app", app, "--limit", "5"],
        ["message", "list", "--app", app, "--state", "finished", "--sender", "live-ops", "--label", "Raid"],
        ["send", "--app", app, "--all", "--body", "a", "--label", "Raid at 21:00"],
        ["send", "--app", app, "--channel", "Y2g=", "--type", "liveactivity", "--expiration", "0", "--payload", "{}"],
        ["message", "trace", "42", "--channel", "--app", app],
        ["message", "status", "42", "--app", app],
        ["message", "watch", "42", "--app", app],
        ["message", "cancel", "42", "--app", app],
        ["message", "pause", "42", "--app", app],
        ["message", "resume", "42", "--app", app],
        ["message", "pace", "42", "500", "--app", app],
        ["message", "pace", "42", "none", "--app", app],
        ["message", "resend", "42", "--app", app, "--outcome", "gave-up", "--not-after", "10m", "--watch"],
        ["message", "outcomes", "42", "--app", app, "--only", "failed", "--csv"],
        ["message", "outcomes", "42", "--app", app, "--outcome", "muted", "--outcome", "left"],
        ["message", "receipts", "42", "--app", app, "--opened"],
        ["message", "trace", "42", "17", "--app", app],
        ["message", "trace", "42", "--token", "aabb", "--app", app, "--json"],
        ["receipt", "received", "42", "--app", app, "--device", "1"],
        ["receipt", "opened", "42", "--app", app, "--file", "-"],
        ["device", "quarantine", "--app", app],
        ["device", "restore", "--app", app, "--token", "aabb"],
        ["events", "--follow", "--name", "a", "--from", "now", "--kind", "delivery-failed", "--app", app],
        ["events", "forget", "billing", "--json"],
    ])
    func aValidCommandLineIsAccepted(arguments: [String]) {
        #expect(complaint(arguments) == nil)
    }

    /// Expects that a command line is refused with a text that contains these words.
    private func expectRefusal(of arguments: [String], with words: String) throws {
        let text = try #require(complaint(arguments), "\(arguments) is taken")
        #expect(text.contains(words), "\(text)")
    }

    @Test(arguments: [
        ["send", "--app", app, "--device", "1", "--title", "Hi", "--payload", "{}"],
        ["send", "--app", app, "--device", "1", "--badge", "1", "--payload-file", "x"],
        ["send", "--app", app, "--device", "1", "--data", "a=b", "--payload", "{}"],
        ["send", "--app", app, "--device", "1", "--title", "a", "--title-loc-key", "A"],
        ["send", "--app", app, "--topic", "a", "--all", "--title", "Hi"],
        ["send", "--app", app, "--all", "--except", "1", "--except-token", "aa", "--body", "a"],
        ["send", "--app", app, "--channel", "Y2g=", "--all", "--body", "a"],
        ["send", "--app", app, "--all", "--body", "a", "--wait", "--watch"],
        ["device", "update", "--app", app, "--device", "1", "--mute", "--unmute"],
        ["message", "outcomes", "42", "--app", app, "--only", "failed", "--outcome", "left"],
        ["message", "outcomes", "42", "--app", app, "--csv", "--json"],
    ])
    func optionsThatExcludeEachOtherAreRefused(arguments: [String]) throws {
        try expectRefusal(of: arguments, with: "exclude each other")
    }

    @Test(arguments: [
        (["send", "--app", app, "--title", "Hi"], "The audience is missing"),
        (["send", "--app", app, "--device", "1"], "The content is missing"),
        (["group", "join", "a", "--app", app], "The devices are missing"),
        (["group", "leave", "a", "--app", app], "The devices are missing"),
        (["topic", "subscribe", "a", "--app", app], "The subscribers are missing"),
        (["topic", "subscribe", "--app", app], "topic"),
        (["device", "update", "--app", app, "--device", "1"], "Nothing to change"),
        (["receipt", "opened", "42", "--app", app], "The devices are missing"),
        (["receipt", "opened", "42", "--app", app, "--device", "1", "--file", "-"], "The devices are missing"),
        (["events", "forget"], "<name>"),
        (["lookup", "--app", app], "one of the four"),
        (["message", "trace", "42", "17", "--channel", "--app", app], "one of the three"),
        (["register", "--app", app], "--token"),
    ])
    func aMissingArgumentIsNamed(arguments: [String], words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["send", "--app", app, "--device", "1", "--body", "a", "--loc-arg", "b"], "--loc-arg belongs to --loc-key"),
        (["send", "--app", app, "--device", "1", "--sound", "a", "--volume", "1"], "--volume belongs to --critical"),
        (["send", "--app", app, "--all", "--body", "a", "--dry-run", "--wait"], "nothing to --wait for"),
        (["send", "--app", app, "--channel", "Y2g=", "--body", "a"], "--type liveactivity"),
        (["send", "--app", app, "--channel", "Y2g=", "--type", "liveactivity", "--payload", "{}"], "--expiration"),
        (["send", "--app", app, "--all", "--body", "a", "--over-budget", "drop"], "--type background"),
        (["send", "--app", app, "--all", "--body", "a", "--only-translations"], "needs a translation"),
        (["ping", "--certificate", "x"], "belong together"),
        (["ping", "--plaintext", "--ca", "x"], "contradicts"),
    ])
    func anOptionThatNeedsAnotherNamesIt(arguments: [String], words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["--body", "a", "--body-in", "x=a"], "--body-in"),
        (["--body-in", "de=a", "--body-in", "DE=b"], "the same language twice"),
        (["--body", "a", "--payload-in", "de={}"], "not with fields"),
        (["--payload", "{}", "--body-in", "de=a"], "--payload-in"),
        (["--body", "a", "--data", "a=1", "--data", "a=2"], "the same name twice"),
        (["--body", "a", "--data", "=1"], "--data"),
        (["--body", "a", "--interruption-level", "loud"], "--interruption-level"),
        (["--body", "a", "--pace", "0"], "at least 1"),
        (["--body", "a", "--at", "soon"], "--at"),
        (["--body", "a", "--label", "a\nb"], "no control characters"),
        (["--body", "a", "--label", ""], "1 to 100 bytes"),
    ])
    func aBadOptionOfASendIsNamed(options: [String], words: String) throws {
        try expectRefusal(of: ["send", "--app", app, "--all"] + options, with: words)
    }

    @Test(arguments: [
        (["send", "--app", "not an app", "--device", "1", "--title", "Hi"], "--app"),
        (["send", "--app", app, "--topic", "a b", "--title", "Hi"], "--topic"),
        (["send", "--app", app, "--group", "/a", "--title", "Hi"], "--group"),
        (["send", "--app", app, "--condition", "'a' in topcs", "--title", "Hi"], "  'a' in topcs\n         ^"),
        (["audience", "explain", "a == 'b' &&", "--app", app], "  a == 'b' &&\n             ^"),
    ])
    func aBadAudienceIsNamed(arguments: [String], words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["message", "list", "--app", app, "--label", String(repeating: "l", count: 101)], "1 to 100 bytes"),
        (["message", "list", "--app", app, "--sender", ""], "1 to 255 bytes"),
        (["message", "list", "--app", app, "--state", "cancelled"], "--state"),
        (["message", "pace", "42", "0", "--app", app], "count|none"),
        (["message", "resend", "42", "--app", app, "--outcome", "delivered"], "is not a failure"),
        (["message", "outcomes", "42", "--app", app, "--outcome", "lost"], "--outcome"),
    ])
    func aBadOptionOfACommandForMessagesIsNamed(arguments: [String], words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test(arguments: [
        (["device", "update", "--app", app, "--device", "1", "--attribute", "locale=de"], "--attribute"),
        (["group", "list", "--app", app, "--limit", "0"], "at least 1"),
        (["import", "a", "--app", app, "--in-flight", "0"], "1 to 64"),
        (["import", "-", "--app", app, "--state", "x"], "--state"),
        (["lookup", "--app", app, "--token", "xyz"], "--token"),
        (["events", "--kind", "rain"], "--kind"),
        (["events", "--from", "then"], "--from"),
        (["events", "--name", String(repeating: "a", count: 65)], "64 bytes"),
        (["events", "forget", String(repeating: "a", count: 65)], "64 bytes"),
    ])
    func aBadOptionOfAnotherCommandIsNamed(arguments: [String], words: String) throws {
        try expectRefusal(of: arguments, with: words)
    }

    @Test func theOptionsScheduleAMessage() throws {
        let command = try SendCommand.parse([
            "--app", app, "--all", "--type", "background", "--at", "+10m", "--pace", "7", "--over-budget", "wait",
            "--id-key", "mid",
        ])
        let message = try command.message(at: Timestamp(milliseconds: 5_000))
        #expect(message.sendAt == Timestamp(milliseconds: 605_000))
        #expect(message.pace == 7)
        #expect(message.content.overBudget == .wait)
        #expect(message.content.idKey == "mid")
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
    func theOptionsDecideWhatAndroidDevicesGet(_ options: [String], _ content: AndroidContent?) throws {
        let command = try SendCommand.parse(["--app", app, "--all", "--body", "Hi"] + options)
        #expect(try command.message(at: .zero).content.android == content)
    }

    @Test(arguments: [
        (["--android", "{"], "--android is not JSON: line 1, column 2."), (["--android", "[]"], "JSON object"),
    ])
    func aTextThatIsNoContentForAndroidIsRefused(_ options: [String], _ text: String) throws {
        let command = try SendCommand.parse(["--app", app, "--all", "--body", "Hi"] + options)
        let error = #expect(throws: ValidationError.self) { try command.message(at: .zero) }
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

    @Test(arguments: webContents) func theOptionsDecideWhatBrowsersGet(_ options: [String], _ content: WebContent?)
        throws
    {
        let command = try SendCommand.parse(["--app", app, "--all", "--body", "Hi"] + options)
        #expect(try command.message(at: .zero).content.web == content)
    }

    @Test func theWholeMessageExcludesOtherOptionsForBrowsers() {
        let options = ["--app", app, "--all", "--body", "Hi", "--web-raw", "{}", "--web-url", "https://example.com/7"]
        #expect(throws: (any Error).self) { try SendCommand.parse(options) }
    }

    @Test func aDeviceOfAndroidIsNamedByTheTextOfItsToken() throws {
        let token = try #require(DeviceToken("c:d", of: .fcm))
        let fid = try #require(DeviceToken("cNabcdefghijklmnopqr-_", of: .fid))
        let command = try SendCommand.parse([
            "--app", app, "--fcm", "c:d", "--fcm", "cNabcdefghijklmnopqr-_", "--body", "Hi",
        ])
        #expect(
            try command.message(at: .zero).audience
                == .devices([
                    .address(DeviceAddress(environment: .production, kind: .fcm, token: token)),
                    .address(DeviceAddress(environment: .production, kind: .fid, token: fid)),
                ]))
        #expect(
            complaint(["register", "--app", app, "--fcm", "c:d", "--kind", "voip"])?.contains("not for --fcm") == true)
        #expect(complaint(["register", "--app", app, "--fcm", "a/b"])?.contains("letters, digits and -_:.%~") == true)
        #expect(complaint(["register", "--app", app])?.contains("by --token, --fcm or --web-subscription") == true)
        #expect(
            complaint(["register", "--app", app, "--fcm", "c:d", "--replaces", "/"])?.contains("--replaces") == true)
        #expect(complaint(["register", "--app", app, "--fcm", "c:d", "--replaces", "c:e"]) == nil)
    }

    @Test(arguments: [
        ([], [true, true, true]), (["--only", "failed"], [false, false, true]),
        (["--only", "delivered"], [false, true, false]), (["--only", "pending"], [true, false, false]),
        (["--failed"], [false, false, true]), (["--outcome", "muted", "--outcome", "pending"], [true, false, true]),
    ])
    func optionsChooseTheOutcomesThatAreShown(_ options: [String], _ shown: [Bool]) throws {
        let command = try OutcomesCommand.parse(["42", "--app", app] + options)
        #expect([Outcome.pending, .delivered, .muted].map(command.admits) == shown)
    }

    @Test func theOptionsMakeAMessage() throws {
        let command = try SendCommand.parse([
            "--app", app, "--token", "aabb", "--device", "7", "--type", "voip", "--environment", "sandbox", "--title",
            #"A "quoted" title"#, "--expiration", "0", "--not-after", "10s", "--lane", "bulk", "--key",
            "00000000-0000-4000-8000-000000000001", "--collapse-id", "c",
        ])
        let message = try command.message(at: Timestamp(milliseconds: 5_000))
        let token = DeviceAddress(environment: .sandbox, kind: .voip, token: DeviceToken([0xAA, 0xBB])!)
        #expect(message.audience == .devices([.address(token), .id(DeviceID(rawValue: 7))]))
        #expect(message.content.payload == Array(#"{"aps":{"alert":{"title":"A \"quoted\" title"}}}"#.utf8))
        #expect(message.content.expiration == .once)
        #expect(message.notAfter == Timestamp(milliseconds: 15_000))
        #expect(message.lane == .bulk)
        #expect(message.idempotencyKey?.description == "00000000-0000-4000-8000-000000000001")
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
    func theOptionsMakeAnAudience(options: [String], audience: Audience) throws {
        let command = try SendCommand.parse(
            ["--app", app, "--body", "Hi", "--except-token", "aa", "--dry-run"] + options)
        let message = try command.message(at: .zero)
        #expect(message.audience == audience)
        let token = DeviceToken([0xAA])!
        #expect(
            message.excludedDevice == .address(DeviceAddress(environment: .production, kind: .device, token: token)))
        #expect(message.isDryRun)
    }

    @Test func everyCommandHasAnExample() {
        var queue: [(path: [String], command: any ParsableCommand.Type)] = [([], Carillon.self)]
        var seen = 0
        while let (path, command) = queue.popLast() {
            let configuration = command.configuration
            queue += configuration.subcommands.map { (path + [$0.configuration.commandName ?? ""], $0) }
            guard configuration.shouldDisplay else { continue }
            let help = Carillon.helpMessage(for: command, columns: 100)
            let line = (["  carillon"] + path).joined(separator: " ")
            let examples = help.components(separatedBy: "Examples:").dropFirst().joined()
            #expect(examples.contains(line), "\(path)")
            for line in configuration.discussion.split(separator: "\n") where line.hasPrefix("  ") {
                #expect(line.count <= 80, "it can be pasted from a terminal: \(line)")
            }
            seen += 1
        }
        #expect(seen > 40)
    }

    @Test(arguments: [
        (["--server", "localhost:1"], true), (["--server", "127.0.0.1:1"], true), (["--server", "unix:/x"], true),
        (["--server", "push.internal:1"], false), (["--server", "127.example.com:1"], false),
        (["--server", "localhost:1", "--ca", "x"], false), (["--server", "push.internal:1", "--plaintext"], true),
    ])
    func plaintextIsTheDefaultForServersOnTheSameMachine(arguments: [String], isPlaintext: Bool) throws {
        let configuration = try ServerOptions.parse(arguments).configuration(environment: [:])
        #expect((configuration.tls(for: configuration.address) == nil) == isPlaintext)
    }

    @Test func theEnvironmentReplacesMissingOptions() throws {
        let environment = ["CARILLON_SERVER": "unix:/env", "CARILLON_API_KEY": " key\n", "CARILLON_API_KEY_FILE": ""]
        let configuration = try ServerOptions.parse([]).configuration(environment: environment)
        #expect(configuration.address == .unixSocket(path: "/env"))
        #expect(configuration.keyOfValue == Array("key".utf8))
        #expect(throws: CommandError.self) {
            try ServerOptions.parse([]).configuration(environment: ["CARILLON_API_KEY_FILE": "/no/such/file"])
        }
    }
}
