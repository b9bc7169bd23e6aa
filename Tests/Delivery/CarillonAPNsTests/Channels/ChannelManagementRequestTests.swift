import CarillonAPNs
import CarillonCore
import CarillonProvider
import CarillonTestKit
import Testing

/// The headers and bodies of requests of channel management, and the reading of their answers.
struct ChannelManagementRequestTests {
    private let app = TestApps.game
    private let channel = ChannelID("dHN0LXNyY2gtY2hubA==")!

    @Test func requestsAreAsAppleDescribesThem() {
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

    @Test(arguments: [
        (#"{"message-storage-policy":0,"push-type":"LiveActivity"}"#, StoragePolicy.none as StoragePolicy?),
        (#"{"message-storage-policy":1,"push-type":"LiveActivity","later":[]}"#, .mostRecent),
        (#"{"message-storage-policy":2}"#, nil), (#"{"message-storage-policy":"1"}"#, nil), ("{}", nil), ("", nil),
        ("[]", nil), ("not JSON", nil),
    ])
    func thePolicyOfAChannelIsReadFromTheAnswer(_ body: String, _ policy: StoragePolicy?) {
        let found = answer(to: .read(channel), body)
        #expect(found == (policy.map { .answered(.policy($0)) } ?? malformed))
    }

    @Test(arguments: [
        (#"{"channels":[]}"#, [] as [String]?), (#"{"channels":["b==","a"]}"#, ["b==", "a"]),
        // What services in between were seen to answer.
        (#"["a","b"]"#, ["a", "b"]),
        (#"{"channels":["a b"]}"#, nil), (#"{"channels":[1]}"#, nil), (#"{"channels":{}}"#, nil), ("{}", nil),
        ("[", nil), ("", nil),
    ])
    func channelsAreReadFromTheAnswer(_ body: String, _ channels: [String]?) {
        let found = answer(to: .list, body)
        #expect(found == (channels.map { .answered(.channels($0.compactMap { ChannelID($0) })) } ?? malformed))
    }

    @Test func aListWithTooManyChannelsIsRefused() {
        let body = "{\"channels\":[\"" + String(repeating: "a", count: ChannelAnswer.maximumBodyBytes) + "\"]}"
        #expect(answer(to: .list, body) == malformed)
    }

    @Test func anAnswerThatWasCutOffIsRefused() {
        #expect(
            answer(to: .list, #"{"channels":[]}"#, isBodyCut: true)
                == .failed(ChannelManagementError(.unavailable, reason: "answer-cut-off", effect: .executed)))
    }

    @Test func aPageOfChannelsBeginsAfterAnID() {
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

    private let malformed = ChannelManagementResult.End.failed(
        ChannelManagementError(.unavailable, reason: "answer-malformed", effect: .executed))

    private func answer(to request: ChannelManagementRequest, _ body: String, isBodyCut: Bool = false)
        -> ChannelManagementResult.End
    {
        Array(body.utf8).withUnsafeBytes { body in
            ChannelManagementResult(
                request, endedBy: ClosedStream(status: 200, isComplete: true), body: body, isBodyCut: isBodyCut,
                now: .zero
            ).end
        }
    }
}
