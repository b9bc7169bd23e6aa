import CarillonAPNs
import CarillonCore
import CarillonProvider
import CarillonTestKit
import Testing

/// The headers and bodies of requests of channel management, and the pages of a list of channels.
struct ChannelManagementRequestTests {
    private let app = TestApps.game
    private let channel = ChannelID("dHN0LXNyY2gtY2hubA==")!

    @Test func `requests are as Apple describes them`() {
        let requests: [ChannelManagementRequest] = [
            .create(.mostRecent), .create(.none), .read(channel), .list, .delete(channel),
        ]
        let lines = requests.map { request in
            let headers = request.headers.map { " \($0.name): \($0.value)" }.joined()
            let body = String(decoding: request.body, as: UTF8.self)
            return "\(request.method) \(request.path(for: app))\(headers) \(body)"
        }
        let create = "POST /1/apps/com.example.game/channels content-type: application/json"
        #expect(
            lines == [
                #"\#(create) {"message-storage-policy":1,"push-type":"LiveActivity"}"#,
                #"\#(create) {"message-storage-policy":0,"push-type":"LiveActivity"}"#,
                "GET /1/apps/com.example.game/channels apns-channel-id: \(channel.text) ",
                "GET /1/apps/com.example.game/all-channels ",
                "DELETE /1/apps/com.example.game/channels apns-channel-id: \(channel.text) ",
            ])
    }

    @Test func `a page of channels begins after an id`() {
        let all = ["c", "a", "B", "b"].compactMap { ChannelID($0) }
        let first = ChannelPage(of: all, after: "", limit: 2)
        #expect(first.channels.map(\.text) == ["B", "a"])
        #expect(first.next == "a")
        let second = ChannelPage(of: all, after: "a", limit: 2)
        #expect(second.channels.map(\.text) == ["b", "c"])
        #expect(second.next == nil)
        #expect(ChannelPage(of: all, after: "z", limit: 2) == ChannelPage(channels: []))
        #expect(ChannelPage(of: [], after: "", limit: 1) == ChannelPage(channels: []))
    }
}
