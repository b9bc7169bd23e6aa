import CarillonCommandLine
import CarillonCore
import CarillonTestKit
import Foundation
import Testing

@testable import carillon

private let game = TestApps.game

/// The registration that a line of JSON or CSV becomes, or the field that is wrong.
struct RegistrationLineTests {
    private func parseRegistration(_ line: String, _ lineFormat: LineFormat = .json) throws -> Registration {
        let template = RegistrationLine.Template(app: game, environment: .sandbox, locale: "de")
        return try RegistrationLine.registration(of: lineFormat.members(of: Array(line.utf8)[...]), template: template)
    }

    private func makeLineFormat(_ header: String) throws -> LineFormat { try .csv(header: Array(header.utf8)) }

    @Test func `the options fill in what a line does not say`() throws {
        let registration = try parseRegistration(#"{"token":"AABB","kind":"voip","seen_at":7,"time_zone":null}"#)
        let address = DeviceAddress(environment: .sandbox, kind: .voip, token: DeviceToken([0xAA, 0xBB])!)
        let expected = Registration(app: game, address: address, seenAt: Timestamp(milliseconds: 7), locale: "de")
        #expect(registration == expected)
    }

    @Test(arguments: [
        (
            "",
            #"{"token":"aabb","environment":"production","kind":"device","replaces":"01","locale":"zh-Hant","#
                + #""time_zone":"Asia/Taipei","seen_at":"2026-07-01T12:00:00Z","platform":"ios","#
                + #""attributes":{"tier":"gold"},"#
                + #""topics":["/topics/level5","guild/77"],"groups":["user/42"],"app":"com.example.other"}"#
        ),
        (
            "token, environment,kind,replaces,locale,time_zone,seen_at,platform,attributes,topics,groups,app",
            #"aabb,production,device,01,zh-Hant,Asia/Taipei,1782907200000,ios,tier=gold,"level5;guild/77",user/42,"#
                + #"com.example.other"#
        ),
        (
            "app,groups,topics,attributes.tier,attributes.platform,seen_at,time_zone,locale,replaces,token,kind,"
                + "environment",
            #"com.example.other,user/42,level5 guild/77,gold,ios,"2026-07-01 "#
                + #"12:00:00Z",Asia/Taipei,zh-Hant,01,"aabb",device,production"#
        ),
    ])
    func `every field of a line is read`(header: String, line: String) throws {
        var registration = try parseRegistration(line, header.isEmpty ? .json : makeLineFormat(header))
        // The members of a JSON object have no order.
        registration.attributes.sort { $0.key.name < $1.key.name }
        let address = DeviceAddress(environment: .production, kind: .device, token: DeviceToken([0xAA, 0xBB])!)
        let attributes = [("platform", "ios"), ("tier", "gold")].compactMap { AttributeChange(key: $0, value: $1) }
        let expected = Registration(
            app: AppID("com.example.other")!, address: address, seenAt: Timestamp(milliseconds: 1_782_907_200_000),
            replaces: DeviceToken([1]), locale: "zh-Hant", timeZone: "Asia/Taipei", attributes: attributes,
            topics: [TopicName("level5")!, TopicName("guild/77")!], groups: [GroupName("user/42")!])
        #expect(registration == expected)
    }

    /// A subscription with the keys of the browser in RFC 8291's example.
    private static let subscription =
        #"{"endpoint":"https://push.example.com/1","expirationTime":null,"keys":{"#
        + #""p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","#
        + #""auth":"BTBZMqHH6r4Tts7J_aSIgg"}}"#

    @Test func `a browser has its subscription instead of a token`() throws {
        let json = try parseRegistration(#"{"subscription":\#(Self.subscription),"locale":"fr"}"#)
        #expect(json.subscription?.endpoint == "https://push.example.com/1")
        // The SHA-256 of the endpoint.
        let digest = "8dd0d552718c5ad0827548b1ea199b5f640e3d6ec8856da362e36941c9566ddb"
        let address = (json.address.environment, json.address.kind, json.address.token.hex)
        #expect(address == (APNsEnvironment.production, TokenKind.web, digest))
        #expect(json.locale == "fr")
        let text = "\"" + Self.subscription.replacing("\"", with: "\"\"") + "\",web"
        #expect(try parseRegistration(text, makeLineFormat("subscription,kind")).subscription == json.subscription)
    }

    @Test(arguments: [
        #"{"subscription":7}"#, #"{"subscription":{"endpoint":"https://127.0.0.1/"}}"#,
        #"{"subscription":\#(subscription),"token":"aa"}"#, #"{"subscription":\#(subscription),"kind":"fcm"}"#,
    ])
    func `an invalid subscription is refused`(_ line: String) {
        #expect(throws: RegistrationLine.ParseError.self) { try parseRegistration(line) }
    }

    @Test func `an empty text removes a field in JSON and is ignored in CSV`() throws {
        let json = try parseRegistration(#"{"token":"aa","locale":"","attributes":{"tier":""}}"#)
        #expect(json.locale == "")
        #expect(json.attributes == [AttributeChange(key: AttributeKey("tier")!, value: nil)])
        let csv = try parseRegistration("aa,,", try makeLineFormat("token,locale,attributes.tier"))
        #expect(csv.locale == "de")
        #expect(csv.attributes.isEmpty)
    }

    @Test(arguments: [
        (#"{"token":"c:d","kind":"fcm","replaces":"c:e"}"#, "token,kind,replaces", "c:d,fcm,c:e"),
        (#"{"kind":"fcm","replaces":"c:e","token":"c:d"}"#, "replaces,kind,token", "c:e,fcm,c:d"),
    ])
    func `a token of FCM is a text`(json: String, columns: String, csv: String) throws {
        for line in [try parseRegistration(json), try parseRegistration(csv, try makeLineFormat(columns))] {
            #expect(line.address.kind == .fcm)
            #expect(line.address.tokenText == "c:d")
            #expect(line.replaces?.text(of: .fcm) == "c:e")
        }
    }

    static let many = (0...64).map { #""t\#($0)""# }.joined(separator: ",")

    /// A line, the field at fault, and words of the message.
    struct FaultyLine: CustomTestStringConvertible {
        let line: String
        /// The field at fault; nil if the line itself is.
        var field: String?
        let message: String

        var testDescription: String { "\(field ?? "the line"): \(message)" }
    }

    @Test(arguments: [
        FaultyLine(line: "", message: "not JSON at byte 1"),
        FaultyLine(line: "[]", message: "not a JSON object"),
        FaultyLine(line: "{\"token\":\"aa\"", message: "not JSON at byte 14"),
        FaultyLine(line: #"{"token":"aa","token":"bb"}"#, message: "an object has the same name twice"),
        FaultyLine(line: #"{"token":5}"#, field: "token", message: "not a string"),
        FaultyLine(line: #"{"token":"xy"}"#, field: "token", message: "'x' is not a hexadecimal digit"),
        FaultyLine(line: "{}", field: "token", message: "missing"),
        FaultyLine(line: #"{"token":"a/b","kind":"fcm"}"#, field: "token", message: "letters, digits and -_:.%~"),
        FaultyLine(line: #"{"kind":"fid","token":"abc"}"#, field: "token", message: "22 characters"),
        FaultyLine(
            line: #"{"token":"c:d","kind":"fcm","environment":"sandbox"}"#, field: "environment",
            message: "of the environment production"),
        FaultyLine(line: #"{"token":"c:d","kind":"fcm","replaces":"/"}"#, field: "replaces", message: "letters"),
        FaultyLine(
            line: #"{"token":"aa","environment":"prod"}"#, field: "environment",
            message: "not one of production, sandbox"),
        FaultyLine(line: #"{"token":"aa","tokn":"bb"}"#, field: "tokn", message: "no such name"),
        FaultyLine(line: #"{"token":"aa","seen_at":-1}"#, field: "seen_at", message: "neither"),
        FaultyLine(line: #"{"token":"aa","seen_at":1.5}"#, field: "seen_at", message: "neither"),
        FaultyLine(line: #"{"token":"aa","topics":"a"}"#, field: "topics", message: "not a list"),
        FaultyLine(
            line: #"{"token":"aa","topics":["a b"]}"#, field: "topics", message: "the name of a topic has 1 to 200"),
        FaultyLine(line: #"{"token":"aa","groups":[\#(many)]}"#, field: "groups", message: "65 groups"),
        FaultyLine(line: #"{"token":"aa","locale":"d"}"#, field: "locale", message: "not a language tag"),
        FaultyLine(
            line: #"{"token":"aa","attributes":{"kind":"a"}}"#, field: "attributes", message: "kind cannot be set"),
        FaultyLine(
            line: #"{"token":"aa","platform":"ios","attributes":{"platform":"ios"}}"#, field: "attributes",
            message: "twice"),
    ])
    func `a faulty line of JSON is refused`(_ faulty: FaultyLine) {
        let fault = #expect(throws: RegistrationLine.ParseError.self) { try parseRegistration(faulty.line) }
        #expect(fault?.field == faulty.field)
        #expect(fault?.message.contains(faulty.message) == true, "\(fault?.message ?? "")")
    }

    @Test(arguments: [
        FaultyLine(line: ",,", field: "token", message: "missing"),
        FaultyLine(line: "aa,a=b;a=c,", field: "attributes", message: "each key once"),
        FaultyLine(line: "aa,b,", field: "attributes", message: "KEY=VALUE"),
        FaultyLine(line: #"aa,,"x""y""#, field: "locale", message: "not a language tag"),
    ])
    func `a faulty line of CSV is refused`(_ faulty: FaultyLine) throws {
        let lineFormat = try makeLineFormat("token,attributes,locale")
        let fault = #expect(throws: RegistrationLine.ParseError.self) { try parseRegistration(faulty.line, lineFormat) }
        #expect(fault?.field == faulty.field)
        #expect(fault?.message.contains(faulty.message) == true, "\(fault?.message ?? "")")
    }

    @Test func `a line that is too long is refused however long it is`() throws {
        let line = #"{"token":"aa","locale":"\#(String(repeating: "x", count: RegistrationLine.maximumBytes))"}"#
        let fault = #expect(throws: RegistrationLine.ParseError.self) { try parseRegistration(line) }
        #expect(fault?.message.contains("longer than") == true)
    }
}
