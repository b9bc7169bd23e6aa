import Testing

@testable import apns_simulator

/// Apple's refusals of a broadcast push, by its headers, and what a channel counts.
struct BroadcastRulesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: Reason?
        var policy = ChannelStore.Policy.none
        var headers = ["apns-push-type": "liveactivity", "apns-priority": "10", "apns-expiration": "0"]
        var payload = #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#

        init(_ name: String, expected: Reason?, _ change: (inout Case) -> Void = { _ in }) {
            testDescription = name
            self.expected = expected
            change(&self)
        }

        static func header(_ name: String, _ value: String?, expected: Reason?) -> Case {
            Case("\(name): \(value ?? "absent")", expected: expected) { $0.headers[name] = value }
        }
    }

    static let cases: [Case] = [
        Case("a right push", expected: nil),
        .header("apns-push-type", nil, expected: .missingPushType),
        .header("apns-push-type", "LiveActivity", expected: .invalidPushType),
        .header("apns-push-type", "alert", expected: .invalidPushType),
        .header("apns-expiration", nil, expected: .badExpirationDate),
        .header("apns-expiration", "soon", expected: .badExpirationDate),
        .header("apns-expiration", "1790000000", expected: .badExpirationDate),
        Case("an expiration for a channel that stores", expected: nil) {
            $0.policy = .latest
            $0.headers["apns-expiration"] = "1790000000"
        },
        .header("apns-priority", nil, expected: .badPriority),
        .header("apns-priority", "5", expected: nil),
        .header("apns-priority", "1", expected: nil),
        .header("apns-priority", "7", expected: .badPriority),
        .header("apns-request-id", "11111111-2222-3333-4444-55555555abcd", expected: nil),
        .header("apns-request-id", "11111111-2222-3333-4444-55555555ABCD", expected: .badMessageID),
        Case("an end", expected: nil) { $0.payload = #"{"aps":{"timestamp":1,"event":"end"}}"# },
        Case("a start", expected: .badRequestPayload) { $0.payload = #"{"aps":{"timestamp":1,"event":"start"}}"# },
        Case("no event", expected: .badRequestPayload) { $0.payload = #"{"aps":{"timestamp":1}}"# },
        Case("no timestamp", expected: .badRequestPayload) { $0.payload = #"{"aps":{"event":"end"}}"# },
        Case("no JSON", expected: .badRequestPayload) { $0.payload = "x" },
        Case("no payload", expected: .payloadEmpty) { $0.payload = "" },
        Case("5,120 bytes", expected: nil) {
            $0.payload += String(repeating: " ", count: 5_120 - $0.payload.utf8.count)
        },
        Case("5,121 bytes", expected: .payloadTooLarge) {
            $0.payload += String(repeating: " ", count: 5_121 - $0.payload.utf8.count)
        },
    ]

    @Test(arguments: cases) func `a faulty broadcast is refused with a reason`(_ one: Case) {
        ReceivedPush.with(fields: one.headers.map { ($0.key, $0.value) }, payload: one.payload) { request in
            #expect(BroadcastRules.fault(in: request, policy: one.policy) == one.expected)
        }
    }

    private static let app = Array("com.example.app".utf8)

    /// Makes a store with a channel to which three pushes were accepted, the third with the id of the first, and one
    /// was refused.
    private static func storeWithPushes() throws -> (store: ChannelStore, channel: String) {
        var store = ChannelStore(seed: 1)
        let made = store.create(.latest, app: app)
        let channel = try #require(made)
        ReceivedPush.with(fields: [("apns-channel-id", channel)], payload: "{}") { request in
            for id in ["a", "b", "a"] { store.recordAccepted(request, requestID: id, app: app) }
            store.recordRefused(request, app: app)
        }
        return (store, channel)
    }

    @Test func `a channel counts its pushes`() throws {
        let (store, channel) = try Self.storeWithPushes()
        let counts = try #require(store.channel(channel))
        #expect(counts.acceptedCount == 3)
        #expect(counts.duplicateCount == 1)
        #expect(counts.refusedCount == 1)
        #expect(counts.payload == Array("{}".utf8))
        #expect(store.broadcastCount == 3)
    }

    @Test func `the accepted pushes of a deleted channel still count`() throws {
        let made = try Self.storeWithPushes()
        var store = made.store
        let isDeleted = store.delete(made.channel, app: Self.app)
        #expect(isDeleted)
        #expect(store.channel(made.channel) == nil)
        #expect(store.broadcastCount == 3)
    }
}
