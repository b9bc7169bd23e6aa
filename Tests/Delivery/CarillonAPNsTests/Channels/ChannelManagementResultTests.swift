import CarillonAPNs
import CarillonCore
import CarillonProvider
import Testing

/// The results that are read from the answers of channel management.
struct ChannelManagementResultTests {
    private let channel = ChannelID("dHN0LXNyY2gtY2hubA==")!

    @Test(arguments: [
        (#"{"message-storage-policy":0,"push-type":"LiveActivity"}"#, StoragePolicy.none as StoragePolicy?),
        (#"{"message-storage-policy":1,"push-type":"LiveActivity","later":[]}"#, .mostRecent),
        (#"{"message-storage-policy":2}"#, nil), (#"{"message-storage-policy":"1"}"#, nil), ("{}", nil), ("", nil),
        ("[]", nil), ("not JSON", nil),
    ])
    func `the policy of a channel is read from the answer`(_ body: String, _ policy: StoragePolicy?) {
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
    func `channels are read from the answer`(_ body: String, _ channels: [String]?) {
        let found = answer(to: .list, body)
        #expect(found == (channels.map { .answered(.channels($0.compactMap { ChannelID($0) })) } ?? malformed))
    }

    @Test func `a list with too many channels is refused`() {
        let body = "{\"channels\":[\"" + String(repeating: "a", count: ChannelAnswer.maximumBodyBytes) + "\"]}"
        #expect(answer(to: .list, body) == malformed)
    }

    @Test func `an answer that was cut off is refused`() {
        #expect(
            answer(to: .list, #"{"channels":[]}"#, isBodyCut: true)
                == .failed(ChannelManagementError(.unavailable, reason: "answer-cut-off", effect: .executed)))
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
