import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonTestKit
import Foundation
import Testing

@testable import carillon

private let game = TestApps.game

/// The results of the lines of a file.
struct LineTests {
    private func registration(_ line: String, _ form: LineForm = .json) throws -> Registration {
        let template = RegistrationLine.Template(app: game, environment: .sandbox, locale: "de")
        return try RegistrationLine.registration(of: form.members(of: Array(line.utf8)[...]), template)
    }

    private func form(_ header: String) throws -> LineForm { try .csv(header: Array(header.utf8)) }

    @Test func aLineTakesTheRestFromTheOptions() throws {
        let registration = try registration(#"{"token":"AABB","kind":"voip","seen_at":7,"time_zone":null}"#)
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
    func allThatALineCanSay(header: String, line: String) throws {
        let registration = try registration(line, header.isEmpty ? .json : form(header))
        #expect(registration.app == AppID("com.example.other"))
        let token = DeviceToken([0xAA, 0xBB])!
        #expect(registration.address == DeviceAddress(environment: .production, kind: .device, token: token))
        #expect(registration.replaces == DeviceToken([1]))
        #expect([registration.locale, registration.timeZone] == ["zh-Hant", "Asia/Taipei"])
        #expect(registration.seenAt == Timestamp(milliseconds: 1_782_907_200_000))
        let attributes = [("platform", "ios"), ("tier", "gold")].compactMap { AttributeChange(key: $0, value: $1) }
        #expect(Set(registration.attributes) == Set(attributes))
        #expect(registration.topics == [TopicName("level5")!, TopicName("guild/77")!])
        #expect(registration.groups == [GroupName("user/42")!])
    }

    // A subscription of RFC 8291's browser, and the SHA-256 of its endpoint.
    private static let subscription =
        #"{"endpoint":"https://push.example.com/1","expirationTime":null,"keys":{"#
        + #""p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","#
        + #""auth":"BTBZMqHH6r4Tts7J_aSIgg"}}"#

    @Test func aBrowserHasItsSubscriptionInsteadOfAToken() throws {
        let json = try registration(#"{"subscription":\#(Self.subscription),"locale":"fr"}"#)
        #expect(json.subscription?.endpoint == "https://push.example.com/1")
        #expect(json.address.kind == .web)
        #expect(json.address.environment == .production)
        #expect(json.address.token.hex == "8dd0d552718c5ad0827548b1ea199b5f640e3d6ec8856da362e36941c9566ddb")
        #expect(json.locale == "fr")
        let text = "\"" + Self.subscription.replacing("\"", with: "\"\"") + "\",web"
        #expect(try registration(text, form("subscription,kind")).subscription == json.subscription)
    }

    @Test(arguments: [
        #"{"subscription":7}"#, #"{"subscription":{"endpoint":"https://127.0.0.1/"}}"#,
        #"{"subscription":\#(subscription),"token":"aa"}"#, #"{"subscription":\#(subscription),"kind":"fcm"}"#,
    ])
    func aSubscriptionThatCannotBeIsRefused(_ line: String) {
        #expect(throws: RegistrationLine.ParseError.self) { try registration(line) }
    }

    @Test func emptyTextsForgetInJSONAndSayNothingInCSV() throws {
        let json = try registration(#"{"token":"aa","locale":"","attributes":{"tier":""}}"#)
        #expect(json.locale?.isEmpty == true)
        #expect(json.attributes == [AttributeChange(key: AttributeKey("tier")!, value: nil)])
        let csv = try registration("aa,,", try form("token,locale,attributes.tier"))
        #expect(csv.locale == "de")
        #expect(csv.attributes.isEmpty)
    }

    @Test(arguments: [
        (#"{"token":"c:d","kind":"fcm","replaces":"c:e"}"#, "token,kind,replaces", "c:d,fcm,c:e"),
        (#"{"kind":"fcm","replaces":"c:e","token":"c:d"}"#, "replaces,kind,token", "c:e,fcm,c:d"),
    ])
    func aTokenOfFCMIsAText(json: String, columns: String, csv: String) throws {
        for line in [try registration(json), try registration(csv, try form(columns))] {
            #expect(line.address.kind == .fcm)
            #expect(line.address.tokenText == "c:d")
            #expect(line.replaces?.text(of: .fcm) == "c:e")
        }
    }

    static let many = (0...64).map { #""t\#($0)""# }.joined(separator: ",")

    @Test(arguments: [
        ("", nil, "not JSON at byte 1"), ("[]", nil, "not a JSON object"),
        ("{\"token\":\"aa\"", nil, "not JSON at byte 14"),
        (#"{"token":"aa","token":"bb"}"#, nil, "an object has the same name twice"),
        (#"{"token":5}"#, "token", "not a string"),
        (#"{"token":"xy"}"#, "token", "'x' is not a hexadecimal digit"), ("{}", "token", "missing"),
        (#"{"token":"a/b","kind":"fcm"}"#, "token", "letters, digits and -_:.%~"),
        (#"{"kind":"fid","token":"abc"}"#, "token", "22 characters"),
        (#"{"token":"c:d","kind":"fcm","environment":"sandbox"}"#, "environment", "of the environment production"),
        (#"{"token":"c:d","kind":"fcm","replaces":"/"}"#, "replaces", "letters"),
        (#"{"token":"aa","environment":"prod"}"#, "environment", "not one of production, sandbox"),
        (#"{"token":"aa","tokn":"bb"}"#, "tokn", "no such name"),
        (#"{"token":"aa","seen_at":-1}"#, "seen_at", "neither"),
        (#"{"token":"aa","seen_at":1.5}"#, "seen_at", "neither"),
        (#"{"token":"aa","topics":"a"}"#, "topics", "not a list"),
        (#"{"token":"aa","topics":["a b"]}"#, "topics", "the name of a topic has 1 to 200"),
        (#"{"token":"aa","groups":[\#(many)]}"#, "groups", "65 groups"),
        (#"{"token":"aa","locale":"d"}"#, "locale", "not a language tag"),
        (#"{"token":"aa","attributes":{"kind":"a"}}"#, "attributes", "kind cannot be set"),
        (#"{"token":"aa","platform":"ios","attributes":{"platform":"ios"}}"#, "attributes", "twice"),
    ])
    func faultyLinesOfJSON(line: String, field: String?, message: String) {
        let fault = #expect(throws: RegistrationLine.ParseError.self) { try registration(line) }
        #expect(fault?.field == field)
        #expect(fault?.message.contains(message) == true, "\(fault?.message ?? "")")
    }

    @Test(arguments: [
        ("aa", nil, "1 values; the first line names 3"), (#"aa,"b,"#, nil, "not closed"),
        (#"aa,"b"c,"#, nil, "between"),
        (",,", "token", "missing"), ("aa,a=b;a=c,", "attributes", "each key once"),
        ("aa,b,", "attributes", "KEY=VALUE"),
        (#"aa,,"x""y""#, "locale", "not a language tag"),
    ])
    func faultyLinesOfCSV(line: String, field: String?, message: String) throws {
        let form = try form("token,attributes,locale")
        let fault = #expect(throws: RegistrationLine.ParseError.self) { try registration(line, form) }
        #expect(fault?.field == field)
        #expect(fault?.message.contains(message) == true, "\(fault?.message ?? "")")
    }

    @Test(arguments: [
        ("locale", "There is no column token"), ("token,tokn", "'tokn' is not one of"), ("token,token", "twice"),
        ("\"token", "does not name the columns"),
    ])
    func aFaultyHeaderIsRefused(header: String, message: String) {
        let error = #expect(throws: ValidationError.self) { try form(header) }
        #expect(error?.message.contains(message) == true)
    }

    @Test func aLineThatIsTooLongIsRefusedHoweverLongItIs() throws {
        let line = #"{"token":"aa","locale":"\#(String(repeating: "x", count: RegistrationLine.maximumBytes))"}"#
        let fault = #expect(throws: RegistrationLine.ParseError.self) { try registration(line) }
        #expect(fault?.message.contains("longer than") == true)
    }
}
