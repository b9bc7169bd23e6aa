import CarillonAPNs
import CarillonCore
import CarillonProvider
import CarillonTestKit
import Testing

/// The headers that a push gets from its type, its priority and its expiration.
struct PushRequestTests {
    static let app = TestApps.game

    static func content(
        _ type: PushType,
        priority: Priority? = nil,
        expiration: Expiration = .unspecified,
        collapseID: String? = nil
    ) -> MessageContent {
        MessageContent(
            app: app, pushType: type, priority: priority, expiration: expiration, collapseID: collapseID,
            payload: Array("{}".utf8))
    }

    private func value(_ name: String, of request: PushRequest) -> String? {
        request.headers.first { $0.name == name }?.value
    }

    struct Headers: CustomTestStringConvertible {
        let type: PushType
        var topic = "com.example.game"
        var priority = "10"

        var testDescription: String { type.name }
    }

    @Test(arguments: [
        Headers(type: .alert),
        Headers(type: .background, priority: "5"),
        Headers(type: .location, topic: "com.example.game.location-query"),
        Headers(type: .voip, topic: "com.example.game.voip"),
        Headers(type: .complication, topic: "com.example.game.complication"),
        Headers(type: .fileprovider, topic: "com.example.game.pushkit.fileprovider"),
        Headers(type: .mdm, topic: "com.apple.mgmt.External.1"),
        Headers(type: .liveactivity, topic: "com.example.game.push-type.liveactivity"),
        Headers(type: .pushtotalk, topic: "com.example.game.voip-ptt"),
        Headers(type: .widgets, topic: "com.example.game.push-type.widgets"),
        Headers(type: .controls, topic: "com.example.game.push-type.controls"),
    ])
    func `each push type has its topic and priority`(_ headers: Headers) {
        let request = PushRequest(Self.content(headers.type), managementTopic: "com.apple.mgmt.External.1")
        #expect(value("apns-topic", of: request) == headers.topic)
        #expect(value("apns-push-type", of: request) == headers.type.name)
        #expect(value("apns-priority", of: request) == headers.priority)
    }

    @Test func `some push types need a provider token`() {
        let types = PushType.allCases.filter(\.needsProviderToken).map(\.name)
        #expect(types == ["location", "fileprovider", "liveactivity", "widgets", "controls"])
    }

    @Test(arguments: PushType.allCases)
    func `an expiration is absent or zero or a time`(_ type: PushType) {
        // A call, or speech on a channel, is of no use later.
        let absent: String? = type == .voip || type == .pushtotalk ? "0" : nil
        let name = "apns-expiration"
        #expect(value(name, of: PushRequest(Self.content(type))) == absent)
        #expect(value(name, of: PushRequest(Self.content(type, expiration: .once))) == "0")
        #expect(
            value(name, of: PushRequest(Self.content(type, expiration: .at(seconds: 1_790_000_000)))) == "1790000000")
    }

    @Test func `the headers of a push stand in order`() {
        let request = PushRequest(
            Self.content(.alert, priority: .never, expiration: .at(seconds: .max), collapseID: "score"))
        #expect(
            request.headers.map { "\($0.name): \($0.value)" } == [
                "apns-topic: com.example.game", "apns-push-type: alert", "apns-priority: 1",
                "apns-expiration: 18446744073709551615", "apns-collapse-id: score",
            ])
    }

    @Test func `a push has the payload of its message and the path of devices`() {
        #expect(PushRequest(Self.content(.alert)).payload == Array("{}".utf8))
        #expect(PushRequest.pathPrefix == Array("/3/device/".utf8))
    }
}
