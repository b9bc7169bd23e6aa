import CarillonCore
import Testing

/// The rules of APNs for each push type.
struct MessageRulesTests {
    private func field(_ type: PushType, _ payload: String) -> String? {
        do throws(MessageError) {
            try MessageRules.checkPayload(Array(payload.utf8), for: type)
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
        (.liveactivity, #"{"aps":{"timestamp":1,"event":"start","content-state":{}}}"#, "payload.aps.attributes-type"),
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

    static let start =
        #""timestamp":1,"event":"start","content-state":{},"attributes-type":"T","attributes":{},"alert":"a""#
    static let update = #""timestamp":1,"event":"update","content-state":{}"#

    /// The members of `aps` to check, with the field at fault below `aps`; nil if none is.
    static let keys: [(PushType, String, String?)] = [
        (.alert, #""alert":{"title":"a","new":1},"sound":{"new":1},"new":1"#, nil),
        (.alert, #""alert":7"#, "alert"), (.alert, #""alert":null"#, "alert"),
        (.alert, #""alert":{"title":1}"#, "alert.title"), (.alert, #""alert":{"subtitle":[]}"#, "alert.subtitle"),
        (.alert, #""alert":{"body":null}"#, "alert.body"), (.alert, #""alert":{"body":{}}"#, "alert.body"),
        (.alert, #""alert":{"launch-image":1}"#, "alert.launch-image"),
        (.alert, #""alert":{"title-loc-key":1}"#, "alert.title-loc-key"),
        (.alert, #""alert":{"title-loc-args":"a"}"#, "alert.title-loc-args"),
        (.alert, #""alert":{"subtitle-loc-key":1}"#, "alert.subtitle-loc-key"),
        (.alert, #""alert":{"subtitle-loc-args":[1]}"#, "alert.subtitle-loc-args"),
        (.alert, #""alert":{"loc-key":false}"#, "alert.loc-key"),
        (.alert, #""alert":{"loc-args":["a",null]}"#, "alert.loc-args"),
        (.alert, #""alert":{"loc-key":null,"loc-args":null}"#, nil),
        (.alert, #""badge":0"#, nil), (.alert, #""badge":2.0"#, nil), (.alert, #""badge":-1"#, "badge"),
        (.alert, #""badge":0.5"#, "badge"), (.alert, #""badge":"1""#, "badge"), (.alert, #""badge":true"#, "badge"),
        (.alert, #""sound":"a""#, nil), (.alert, #""sound":1"#, "sound"),
        (.alert, #""sound":{"critical":true}"#, "sound.critical"), (.alert, #""sound":{"name":1}"#, "sound.name"),
        (.alert, #""sound":{"volume":1.5}"#, "sound.volume"), (.alert, #""sound":{"volume":-1}"#, "sound.volume"),
        (.alert, #""sound":{"critical":0,"volume":1}"#, nil), (.alert, #""thread-id":1"#, "thread-id"),
        (.alert, #""category":null"#, "category"), (.alert, #""content-available":0,"mutable-content":0"#, nil),
        (.alert, #""content-available":true"#, "content-available"),
        (.alert, #""mutable-content":2"#, "mutable-content"),
        (.alert, #""interruption-level":"loud""#, "interruption-level"),
        (.alert, #""relevance-score":2"#, "relevance-score"),
        (.alert, #""target-content-id":1"#, "target-content-id"), (.alert, #""filter-criteria":[]"#, "filter-criteria"),
        (.alert, #""content-changed":1"#, "content-changed"), (.alert, #""url-args":"a""#, "url-args"),
        (.alert, #""event":1,"timestamp":"soon""#, nil), (.voip, #""badge":"1""#, "badge"),
        (.background, #""content-available":1,"category":1"#, "category"), (.liveactivity, start, nil),
        (.liveactivity, start + #","input-push-token":1"#, nil),
        (.liveactivity, start + #","input-push-token":"a""#, "input-push-token"),
        (.liveactivity, start + #","input-push-channel":1"#, "input-push-channel"),
        (.liveactivity, start + #","input-push-channel":"dHN0LXNyY2gtY2hubA==""#, nil),
        (.liveactivity, start + #","input-push-channel":"""#, "input-push-channel"),
        (.liveactivity, start + #","input-push-channel":"a b""#, "input-push-channel"),
        (.liveactivity, start + #","input-push-channel":"\#(tooLong)""#, "input-push-channel"),
        (.liveactivity, start.replacing(#","attributes":{}"#, with: ""), "attributes"),
        (.liveactivity, start.replacing(#","attributes":{}"#, with: #","attributes":[]"#), "attributes"),
        (.liveactivity, start.replacing(#":"T""#, with: ":1"), "attributes-type"),
        (.liveactivity, start.replacing(#","alert":"a""#, with: ""), "alert"),
        (.liveactivity, update + #","relevance-score":-7.5"#, nil),
        (.liveactivity, update + #","relevance-score":"1""#, "relevance-score"),
        (.liveactivity, update + #","stale-date":"1""#, "stale-date"),
        (.liveactivity, update + #","dismissal-date":-1"#, "dismissal-date"),
        (.liveactivity, update.replacing("1", with: "-1"), "timestamp"),
        (.liveactivity, #""timestamp":1,"event":"end","content-state":1"#, "content-state"),
        (.liveactivity, update + #","alert":{"title":{"loc-key":"K"},"sound":"a"}"#, nil),
        (.liveactivity, update + #","alert":{"title":{"loc-key":1}}"#, "alert.title.loc-key"),
        (.liveactivity, update + #","alert":{"body":{"loc-args":[1]}}"#, "alert.body.loc-args"),
        (.liveactivity, update + #","alert":{"sound":{"volume":2}}"#, "alert.sound.volume"),
    ]

    private static let tooLong = String(repeating: "a", count: ChannelID.maximumBytes + 1)

    @Test(arguments: keys)
    func aKeyOfApsHasItsType(_ type: PushType, _ members: String, _ fault: String?) {
        #expect(field(type, "{\"aps\":{\(members)}}") == fault.map { "payload.aps.\($0)" })
    }

    @Test(arguments: PushType.allCases)
    func aPayloadAboveTheLimitIsNotExamined(_ type: PushType) {
        let limit = type == .voip ? 5_120 : 4_096
        let tooLong = Array(repeating: UInt8(ascii: "x"), count: limit + 1)
        #expect(throws: MessageError.self) { try MessageRules.checkPayload(tooLong, for: type) }
        do throws(MessageError) {
            try MessageRules.checkPayload(tooLong, for: type)
        } catch {
            #expect(error.limit == limit)
        }
        let full = Array("{}".utf8) + Array(repeating: UInt8(ascii: " "), count: limit - 2)
        if type == .alert || type == .voip {
            #expect(throws: Never.self) { try MessageRules.checkPayload(full, for: type) }
        }
    }

    /// Checks that the payload of a broadcast push is that of a Live Activity, may be longer, and starts none.
    @Test(arguments: [
        (update, nil), (#""timestamp":1,"event":"end""#, nil), (start, "payload.aps.event"),
        (#""timestamp":1,"event":"update""#, "payload.aps.content-state"), ("", "payload.aps.timestamp"),
        (#""alert":"a""#, "payload.aps.timestamp"),
    ])
    func aBroadcastPushUpdatesOrEnds(_ members: String, _ fault: String?) {
        func field(_ payload: String) -> String? {
            do throws(MessageError) {
                try MessageRules.checkBroadcastPayload(Array(payload.utf8))
                return nil
            } catch {
                return error.field
            }
        }
        let payload = "{\"aps\":{\(members)}}"
        #expect(field(payload) == fault)
        let padding = String(repeating: " ", count: MessageRules.maximumBroadcastBytes - payload.utf8.count)
        #expect(field(payload + padding) == fault)
        #expect(field(payload + padding + " ") == "payload")
    }

    @Test(arguments: PushType.allCases)
    func onlyTheListedPrioritiesAreTaken(_ type: PushType) {
        for priority in [Priority.immediate, .powerAware, .never] {
            let isTaken = (try? MessageRules.checkPriority(priority, for: type)) != nil
            #expect(isTaken == type.priorities.contains(priority))
        }
        #expect(type.priorities.contains(type.usualPriority))
    }

    @Test(arguments: PushType.allCases)
    func onlyPushToTalkMayNotBeStored(_ type: PushType) {
        for expiration in [Expiration.unspecified, .once, .at(seconds: 1)] {
            let isTaken = (try? MessageRules.checkExpiration(expiration, for: type)) != nil
            #expect(isTaken == (type != .pushtotalk || expiration != .at(seconds: 1)))
        }
    }

    @Test(arguments: [
        ("a", true), (String(repeating: "a", count: 64), true), (String(repeating: "é", count: 32), true), ("", false),
        (String(repeating: "a", count: 65), false), (String(repeating: "é", count: 33), false), ("a\r\nb", false),
        ("\u{0}", false), ("\u{7F}", false), ("\u{9F}", false), ("\u{A0}", true), ("a b", true),
        // White space at the ends of a header makes the push malformed (RFC 9113, section 8.2.1).
        (" ", false), (" a", false), ("a ", false), (" \u{301}a", false),
    ])
    func aCollapseIDHas1To64BytesWithoutControlCharactersOrSpacesAtItsEnds(_ id: String, _ isGood: Bool) {
        #expect(((try? MessageRules.checkCollapseID(id)) != nil) == isGood)
    }

    @Test func aContentIsCheckedInTheOrderOfItsFields() throws {
        var content = MessageContent(
            app: try #require(AppID("a")), pushType: .pushtotalk, priority: .never, expiration: .at(seconds: 1),
            collapseID: "", payload: [])
        func fault() -> String? {
            do throws(MessageError) {
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
