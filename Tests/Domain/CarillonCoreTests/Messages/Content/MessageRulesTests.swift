import CarillonCore
import Testing

/// The rules of APNs for each push type.
struct MessageRulesTests {
    /// Returns the field at fault in a payload; nil if there is none.
    private func field(_ type: PushType, _ payload: String) -> String? {
        faultyField { () throws(MessageError) in try MessageRules.checkPayload(Array(payload.utf8), for: type) }
    }

    /// Returns the field at fault in the payload of a broadcast push; nil if there is none.
    private func broadcastField(_ payload: String) -> String? {
        faultyField { () throws(MessageError) in try MessageRules.checkBroadcastPayload(Array(payload.utf8)) }
    }

    /// A payload, and the field at fault; nil if it suits the push type.
    struct Payload: CustomTestStringConvertible {
        var type = PushType.alert
        let json: String
        var fault: String?

        var testDescription: String { "\(type.name) \(json)" }
    }

    static let payloads: [Payload] = [
        Payload(json: "{}"),
        Payload(json: #"{"aps":{"alert":"hi"}}"#),
        Payload(json: #"{"aps":[]}"#, fault: "payload.aps"),
        Payload(json: #"{"aps":null}"#, fault: "payload.aps"),
        Payload(json: "[]", fault: "payload"),
        Payload(json: "", fault: "payload"),
        Payload(json: "{", fault: "payload"),
        Payload(type: .location, json: "{}"),
        Payload(type: .voip, json: #"{"call":1}"#),
        Payload(type: .complication, json: "{}"),
        Payload(type: .pushtotalk, json: "{}"),
        Payload(type: .background, json: #"{"aps":{"content-available":1},"x":2}"#),
        Payload(type: .background, json: #"{"aps":{"content-available":1.0}}"#),
        Payload(type: .background, json: "{}", fault: "payload.aps.content-available"),
        Payload(type: .background, json: #"{"aps":{}}"#, fault: "payload.aps.content-available"),
        Payload(
            type: .background, json: #"{"aps":{"content-available":true}}"#, fault: "payload.aps.content-available"),
        Payload(type: .background, json: #"{"aps":{"content-available":"1"}}"#, fault: "payload.aps.content-available"),
        Payload(type: .background, json: #"{"aps":{"content-available":2}}"#, fault: "payload.aps.content-available"),
        Payload(type: .background, json: #"{"aps":{"content-available":1,"alert":""}}"#, fault: "payload.aps.alert"),
        Payload(type: .background, json: #"{"aps":{"content-available":1,"badge":0}}"#, fault: "payload.aps.badge"),
        Payload(type: .background, json: #"{"aps":{"content-available":1,"sound":null}}"#, fault: "payload.aps.sound"),
        Payload(type: .fileprovider, json: #"{"container-identifier":"a","domain":"b"}"#),
        Payload(
            type: .fileprovider, json: #"{"container-identifier":"a","domain":"b","aps":{}}"#, fault: "payload.aps"),
        Payload(type: .fileprovider, json: #"{"domain":"b"}"#, fault: "payload.container-identifier"),
        Payload(type: .fileprovider, json: #"{"container-identifier":"a","domain":1}"#, fault: "payload.domain"),
        Payload(type: .mdm, json: #"{"mdm":"magic"}"#),
        Payload(type: .mdm, json: #"{"mdm":1}"#, fault: "payload.mdm"),
        Payload(type: .mdm, json: "{}", fault: "payload.mdm"),
        Payload(type: .liveactivity, json: #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#),
        Payload(
            type: .liveactivity, json: #"{"aps":{"timestamp":1,"event":"start","content-state":{}}}"#,
            fault: "payload.aps.attributes-type"),
        Payload(type: .liveactivity, json: #"{"aps":{"timestamp":1,"event":"end"}}"#),
        Payload(type: .liveactivity, json: "{}", fault: "payload.aps.timestamp"),
        Payload(type: .liveactivity, json: #"{"aps":{"timestamp":"1","event":"end"}}"#, fault: "payload.aps.timestamp"),
        Payload(type: .liveactivity, json: #"{"aps":{"timestamp":1}}"#, fault: "payload.aps.event"),
        Payload(type: .liveactivity, json: #"{"aps":{"timestamp":1,"event":"stop"}}"#, fault: "payload.aps.event"),
        Payload(
            type: .liveactivity, json: #"{"aps":{"timestamp":1,"event":"update"}}"#,
            fault: "payload.aps.content-state"),
        Payload(
            type: .liveactivity, json: #"{"aps":{"timestamp":1,"event":"start","content-state":[]}}"#,
            fault: "payload.aps.content-state"),
        Payload(type: .widgets, json: #"{"aps":{"content-changed":true}}"#),
        Payload(type: .widgets, json: #"{"aps":{"content-changed":1}}"#, fault: "payload.aps.content-changed"),
        Payload(type: .controls, json: #"{"aps":{"content-changed":true}}"#),
        Payload(type: .controls, json: #"{"aps":{"content-changed":false}}"#, fault: "payload.aps.content-changed"),
        Payload(type: .controls, json: "{}", fault: "payload.aps.content-changed"),
    ]

    @Test(arguments: payloads)
    func `a payload must suit its push type`(_ payload: Payload) {
        #expect(field(payload.type, payload.json) == payload.fault)
    }

    @Test(arguments: PushType.allCases)
    func `a payload above the limit is refused with the limit`(_ type: PushType) {
        let limit = type == .voip ? 5_120 : 4_096
        let tooLong = Array(repeating: UInt8(ascii: "x"), count: limit + 1)
        let error = #expect(throws: MessageError.self) { try MessageRules.checkPayload(tooLong, for: type) }
        #expect(error?.limit == limit)
    }

    @Test(arguments: [PushType.alert, .voip])
    func `a payload of the limit is accepted`(_ type: PushType) throws {
        let padding = String(repeating: " ", count: type.maximumPayloadBytes - 2)
        #expect(field(type, "{}" + padding) == nil)
    }

    /// The payload of a broadcast push is that of a Live Activity, may be longer, and starts none.
    @Test(arguments: [
        (APSMembers.update, nil), (#""timestamp":1,"event":"end""#, nil), (APSMembers.start, "payload.aps.event"),
        (#""timestamp":1,"event":"update""#, "payload.aps.content-state"), ("", "payload.aps.timestamp"),
        (#""alert":"a""#, "payload.aps.timestamp"),
    ])
    func `a broadcast push updates or ends`(_ members: String, _ fault: String?) {
        let payload = "{\"aps\":{\(members)}}"
        #expect(broadcastField(payload) == fault)
        let padding = String(repeating: " ", count: MessageRules.maximumBroadcastBytes - payload.utf8.count)
        #expect(broadcastField(payload + padding) == fault)
        #expect(broadcastField(payload + padding + " ") == "payload")
    }

    /// The priorities that APNs accepts, by push type.
    private static let priorities: [PushType: [Priority]] = [
        .alert: [.immediate, .powerAware, .never], .background: [.powerAware, .never], .voip: [.immediate],
        .complication: [.immediate, .powerAware, .never], .fileprovider: [.immediate, .powerAware, .never],
        .mdm: [.immediate, .powerAware, .never], .location: [.immediate, .powerAware],
        .liveactivity: [.immediate, .powerAware], .pushtotalk: [.immediate],
        .widgets: [.immediate, .powerAware, .never], .controls: [.immediate, .powerAware, .never],
    ]

    @Test(arguments: PushType.allCases)
    func `only the priorities of APNs are accepted`(_ type: PushType) {
        let accepted = [Priority.immediate, .powerAware, .never].filter {
            (try? MessageRules.checkPriority($0, for: type)) != nil
        }
        #expect(accepted == Self.priorities[type])
    }

    @Test(arguments: PushType.allCases)
    func `the usual priority of a push type is accepted`(_ type: PushType) {
        #expect(type.priorities.contains(type.usualPriority))
    }

    @Test(arguments: PushType.allCases)
    func `only a push to talk cannot be stored`(_ type: PushType) {
        let accepted = [Expiration.unspecified, .once, .at(seconds: 1)].filter {
            (try? MessageRules.checkExpiration($0, for: type)) != nil
        }
        #expect(accepted == [.unspecified, .once] + (type == .pushtotalk ? [] : [.at(seconds: 1)]))
    }

    @Test(arguments: [
        ("a", true), (String(repeating: "a", count: 64), true), (String(repeating: "é", count: 32), true), ("", false),
        (String(repeating: "a", count: 65), false), (String(repeating: "é", count: 33), false), ("a\r\nb", false),
        ("\u{0}", false), ("\u{7F}", false), ("\u{9F}", false), ("\u{A0}", true), ("a b", true),
        // White space at the ends of a header makes the push malformed (RFC 9113, section 8.2.1).
        (" ", false), (" a", false), ("a ", false), (" \u{301}a", false),
    ])
    func `a collapse id has 1 to 64 bytes and fits into a header`(_ id: String, _ isGood: Bool) {
        #expect(((try? MessageRules.checkCollapseID(id)) != nil) == isGood)
    }

    @Test func `a content is checked in the order of its fields`() throws {
        var content = MessageContent(
            app: try #require(AppID("a")), pushType: .pushtotalk, priority: .never, expiration: .at(seconds: 1),
            collapseID: "", payload: [])
        func fault() -> String? { faultyField { () throws(MessageError) in try MessageRules.check(content) } }
        #expect(fault() == "priority")
        content.priority = nil
        #expect(fault() == "payload")
        content.payload = Array("{}".utf8)
        #expect(fault() == "expiration")
        content.expiration = .once
        #expect(fault() == "collapse_id")
        content.collapseID = "a"
        #expect(fault() == nil)
    }
}
