import CarillonCore
import Testing

/// The types and ranges of the keys of `aps`.
struct APSRulesTests {
    private static let (start, update) = (APSMembers.start, APSMembers.update)

    /// The members of `aps`, and the field at fault below `aps`; nil if they are right.
    struct Aps: CustomTestStringConvertible {
        var type = PushType.alert
        let members: String
        var fault: String?

        var testDescription: String { "\(type.name) \(members)" }
    }

    static let keys: [Aps] = [
        Aps(members: #""alert":{"title":"a","new":1},"sound":{"new":1},"new":1"#),
        Aps(members: #""alert":7"#, fault: "alert"),
        Aps(members: #""alert":null"#, fault: "alert"),
        Aps(members: #""alert":{"title":1}"#, fault: "alert.title"),
        Aps(members: #""alert":{"subtitle":[]}"#, fault: "alert.subtitle"),
        Aps(members: #""alert":{"body":null}"#, fault: "alert.body"),
        Aps(members: #""alert":{"body":{}}"#, fault: "alert.body"),
        Aps(members: #""alert":{"launch-image":1}"#, fault: "alert.launch-image"),
        Aps(members: #""alert":{"title-loc-key":1}"#, fault: "alert.title-loc-key"),
        Aps(members: #""alert":{"title-loc-args":"a"}"#, fault: "alert.title-loc-args"),
        Aps(members: #""alert":{"subtitle-loc-key":1}"#, fault: "alert.subtitle-loc-key"),
        Aps(members: #""alert":{"subtitle-loc-args":[1]}"#, fault: "alert.subtitle-loc-args"),
        Aps(members: #""alert":{"loc-key":false}"#, fault: "alert.loc-key"),
        Aps(members: #""alert":{"loc-args":["a",null]}"#, fault: "alert.loc-args"),
        Aps(members: #""alert":{"loc-key":null,"loc-args":null}"#),
        Aps(members: #""badge":0"#),
        Aps(members: #""badge":2.0"#),
        Aps(members: #""badge":-1"#, fault: "badge"),
        Aps(members: #""badge":0.5"#, fault: "badge"),
        Aps(members: #""badge":"1""#, fault: "badge"),
        Aps(members: #""badge":true"#, fault: "badge"),
        Aps(members: #""sound":"a""#),
        Aps(members: #""sound":1"#, fault: "sound"),
        Aps(members: #""sound":{"critical":true}"#, fault: "sound.critical"),
        Aps(members: #""sound":{"name":1}"#, fault: "sound.name"),
        Aps(members: #""sound":{"volume":1.5}"#, fault: "sound.volume"),
        Aps(members: #""sound":{"volume":-1}"#, fault: "sound.volume"),
        Aps(members: #""sound":{"critical":0,"volume":1}"#),
        Aps(members: #""thread-id":1"#, fault: "thread-id"),
        Aps(members: #""category":null"#, fault: "category"),
        Aps(members: #""content-available":0,"mutable-content":0"#),
        Aps(members: #""content-available":true"#, fault: "content-available"),
        Aps(members: #""mutable-content":2"#, fault: "mutable-content"),
        Aps(members: #""interruption-level":"loud""#, fault: "interruption-level"),
        Aps(members: #""relevance-score":2"#, fault: "relevance-score"),
        Aps(members: #""target-content-id":1"#, fault: "target-content-id"),
        Aps(members: #""filter-criteria":[]"#, fault: "filter-criteria"),
        Aps(members: #""content-changed":1"#, fault: "content-changed"),
        Aps(members: #""url-args":"a""#, fault: "url-args"),
        Aps(members: #""event":1,"timestamp":"soon""#),
        Aps(type: .voip, members: #""badge":"1""#, fault: "badge"),
        Aps(type: .background, members: #""content-available":1,"category":1"#, fault: "category"),
        Aps(type: .liveactivity, members: start),
        Aps(type: .liveactivity, members: start + #","input-push-token":1"#),
        Aps(type: .liveactivity, members: start + #","input-push-token":"a""#, fault: "input-push-token"),
        Aps(type: .liveactivity, members: start + #","input-push-channel":1"#, fault: "input-push-channel"),
        Aps(type: .liveactivity, members: start + #","input-push-channel":"dHN0LXNyY2gtY2hubA==""#),
        Aps(type: .liveactivity, members: start + #","input-push-channel":"""#, fault: "input-push-channel"),
        Aps(type: .liveactivity, members: start + #","input-push-channel":"a b""#, fault: "input-push-channel"),
        Aps(type: .liveactivity, members: start + #","input-push-channel":"\#(tooLong)""#, fault: "input-push-channel"),
        Aps(type: .liveactivity, members: start.replacing(#","attributes":{}"#, with: ""), fault: "attributes"),
        Aps(
            type: .liveactivity, members: start.replacing(#","attributes":{}"#, with: #","attributes":[]"#),
            fault: "attributes"),
        Aps(type: .liveactivity, members: start.replacing(#":"T""#, with: ":1"), fault: "attributes-type"),
        Aps(type: .liveactivity, members: start.replacing(#","alert":"a""#, with: ""), fault: "alert"),
        Aps(type: .liveactivity, members: update + #","relevance-score":-7.5"#),
        Aps(type: .liveactivity, members: update + #","relevance-score":"1""#, fault: "relevance-score"),
        Aps(type: .liveactivity, members: update + #","stale-date":"1""#, fault: "stale-date"),
        Aps(type: .liveactivity, members: update + #","dismissal-date":-1"#, fault: "dismissal-date"),
        Aps(type: .liveactivity, members: update.replacing("1", with: "-1"), fault: "timestamp"),
        Aps(type: .liveactivity, members: #""timestamp":1,"event":"end","content-state":1"#, fault: "content-state"),
        Aps(type: .liveactivity, members: update + #","alert":{"title":{"loc-key":"K"},"sound":"a"}"#),
        Aps(type: .liveactivity, members: update + #","alert":{"title":{"loc-key":1}}"#, fault: "alert.title.loc-key"),
        Aps(
            type: .liveactivity, members: update + #","alert":{"body":{"loc-args":[1]}}"#,
            fault: "alert.body.loc-args"),
        Aps(type: .liveactivity, members: update + #","alert":{"sound":{"volume":2}}"#, fault: "alert.sound.volume"),
    ]

    private static let tooLong = String(repeating: "a", count: ChannelID.maximumBytes + 1)

    @Test(arguments: keys)
    func `a key of aps has its type`(_ aps: Aps) {
        let payload = "{\"aps\":{\(aps.members)}}"
        let field = faultyField { () throws(MessageError) in
            try MessageRules.checkPayload(Array(payload.utf8), for: aps.type)
        }
        #expect(field == aps.fault.map { "payload.aps.\($0)" })
    }
}
