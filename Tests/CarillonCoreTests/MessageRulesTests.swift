import CarillonCore
import Testing

/// What APNs demands of each push type.
@Suite struct MessageRulesTests {
    private func field(_ type: PushType, _ payload: String) -> String? {
        do throws(MessageFault) {
            try MessageRules.check(payload: Array(payload.utf8), for: type)
            return nil
        } catch {
            return error.field
        }
    }

    static let payloads: [(PushType, String, String?)] = [
        (.alert, "{}", nil), (.alert, #"{"aps":{"alert":"hi"}}"#, nil), (.alert, #"{"aps":[]}"#, "payload.aps"),
        (.alert, #"{"aps":null}"#, "payload.aps"), (.alert, "[]", "payload"), (.alert, "", "payload"),
        (.alert, "{", "payload"), (.location, "{}", nil), (.voip, #"{"call":1}"#, nil), (.complication, "{}", nil),
        (.pushtotalk, "{}", nil),
        (.background, #"{"aps":{"content-available":1},"x":2}"#, nil),
        (.background, #"{"aps":{"content-available":1.0}}"#, nil),
        (.background, "{}", "payload.aps.content-available"),
        (.background, #"{"aps":{}}"#, "payload.aps.content-available"),
        (.background, #"{"aps":{"content-available":true}}"#, "payload.aps.content-available"),
        (.background, #"{"aps":{"content-available":"1"}}"#, "payload.aps.content-available"),
        (.background, #"{"aps":{"content-available":2}}"#, "payload.aps.content-available"),
        (.background, #"{"aps":{"content-available":1,"alert":""}}"#, "payload.aps.alert"),
        (.background, #"{"aps":{"content-available":1,"badge":0}}"#, "payload.aps.badge"),
        (.background, #"{"aps":{"content-available":1,"sound":null}}"#, "payload.aps.sound"),
        (.fileprovider, #"{"container-identifier":"a","domain":"b"}"#, nil),
        (.fileprovider, #"{"container-identifier":"a","domain":"b","aps":{}}"#, "payload.aps"),
        (.fileprovider, #"{"domain":"b"}"#, "payload.container-identifier"),
        (.fileprovider, #"{"container-identifier":"a","domain":1}"#, "payload.domain"),
        (.mdm, #"{"mdm":"magic"}"#, nil), (.mdm, #"{"mdm":1}"#, "payload.mdm"), (.mdm, "{}", "payload.mdm"),
        (.liveactivity, #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#, nil),
        (.liveactivity, #"{"aps":{"timestamp":1,"event":"start","content-state":{"a":1}}}"#, nil),
        (.liveactivity, #"{"aps":{"timestamp":1,"event":"end"}}"#, nil),
        (.liveactivity, "{}", "payload.aps.timestamp"),
        (.liveactivity, #"{"aps":{"timestamp":"1","event":"end"}}"#, "payload.aps.timestamp"),
        (.liveactivity, #"{"aps":{"timestamp":1}}"#, "payload.aps.event"),
        (.liveactivity, #"{"aps":{"timestamp":1,"event":"stop"}}"#, "payload.aps.event"),
        (.liveactivity, #"{"aps":{"timestamp":1,"event":"update"}}"#, "payload.aps.content-state"),
        (.liveactivity, #"{"aps":{"timestamp":1,"event":"start","content-state":[]}}"#, "payload.aps.content-state"),
        (.widgets, #"{"aps":{"content-changed":true}}"#, nil),
        (.widgets, #"{"aps":{"content-changed":1}}"#, "payload.aps.content-changed"),
        (.controls, #"{"aps":{"content-changed":true}}"#, nil),
        (.controls, #"{"aps":{"content-changed":false}}"#, "payload.aps.content-changed"),
        (.controls, "{}", "payload.aps.content-changed"),
    ]

    @Test(arguments: payloads)
    func aPayloadMustSuitItsPushType(_ type: PushType, _ payload: String, _ fault: String?) {
        #expect(field(type, payload) == fault)
    }

    @Test(arguments: PushType.allCases)
    func aPayloadAboveTheLimitIsNotExamined(_ type: PushType) {
        let limit = type == .voip ? 5_120 : 4_096
        let tooLong = Array(repeating: UInt8(ascii: "x"), count: limit + 1)
        #expect(throws: MessageFault.self) { try MessageRules.check(payload: tooLong, for: type) }
        do throws(MessageFault) {
            try MessageRules.check(payload: tooLong, for: type)
        } catch {
            #expect(error.limit == limit)
        }
        let full = Array("{}".utf8) + Array(repeating: UInt8(ascii: " "), count: limit - 2)
        if type == .alert || type == .voip {
            #expect(throws: Never.self) { try MessageRules.check(payload: full, for: type) }
        }
    }

    @Test(arguments: PushType.allCases)
    func onlyTheListedPrioritiesAreTaken(_ type: PushType) {
        for priority in [Priority.immediate, .powerAware, .never] {
            let isTaken = (try? MessageRules.check(priority, for: type)) != nil
            #expect(isTaken == type.priorities.contains(priority))
        }
        #expect(type.priorities.contains(type.usualPriority))
    }

    @Test(arguments: PushType.allCases)
    func onlyPushToTalkMayNotBeStored(_ type: PushType) {
        for expiration in [Expiration.unspecified, .once, .at(seconds: 1)] {
            let isTaken = (try? MessageRules.check(expiration, for: type)) != nil
            #expect(isTaken == (type != .pushtotalk || expiration != .at(seconds: 1)))
        }
    }

    @Test(arguments: [
        ("a", true), (String(repeating: "a", count: 64), true), (String(repeating: "é", count: 32), true), ("", false),
        (String(repeating: "a", count: 65), false), (String(repeating: "é", count: 33), false), ("a\r\nb", false),
        ("\u{0}", false), ("\u{7F}", false), ("\u{9F}", false), ("\u{A0}", true), (" ", true),
    ])
    func aCollapseIDHas1To64BytesWithoutControlCharacters(_ id: String, _ isGood: Bool) {
        #expect(((try? MessageRules.check(collapseID: id)) != nil) == isGood)
    }

    @Test func aContentIsCheckedInTheOrderOfItsFields() throws {
        var content = MessageContent(
            app: try #require(AppID("a")), pushType: .pushtotalk, priority: .never, expiration: .at(seconds: 1),
            collapseID: "", payload: [])
        func fault() -> String? {
            do throws(MessageFault) {
                try MessageRules.check(content)
                return nil
            } catch {
                return error.field
            }
        }
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
