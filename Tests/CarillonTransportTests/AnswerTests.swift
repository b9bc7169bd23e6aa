import CarillonAPNs
import CarillonCore
import CarillonHTTP2
import CarillonTransport
import NIOCore
import Testing

/// The answers of APNs, and the results that the source gets.
@Suite struct AnswerTests {
    @Test func aPushIsDeliveredWithItsHeaders() async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...1)

        let state = try await sender.source.settled(deliveries: 1)
        #expect(state.all == [.delivered])
        #expect(state.traces == [1: ["+200 "]])
        let arrival = try #require(apns.watched.now.arrivals.first)
        #expect(arrival.headers[":method"] == "POST")
        #expect(arrival.headers[":scheme"] == "https")
        #expect(arrival.headers[":authority"] == "localhost")
        #expect(arrival.headers[":path"]?.hasPrefix("/3/device/abab") == true)
        #expect(arrival.headers[":path"]?.utf8.count == "/3/device/".utf8.count + 64)
        #expect(arrival.headers["apns-topic"] == "com.example.game")
        #expect(arrival.headers["apns-push-type"] == "alert")
        #expect(arrival.headers["apns-id"]?.utf8.count == 36)
        #expect(arrival.headers["authorization"]?.hasPrefix("bearer ey") == true)
        #expect(arrival.bodyBytes == 32)
        try await sender.finish()
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var status: UInt16
        var reason: String?
        var timestamp: UInt64?
        var verdict: Verdict

        init(_ status: UInt16, _ reason: String?, timestamp: UInt64? = nil, verdict: Verdict) {
            (self.status, self.reason, self.timestamp, self.verdict) = (status, reason, timestamp, verdict)
        }

        var testDescription: String { "\(status) \(reason ?? "without a reason")" }
    }

    static let refusals = [
        Refusal(
            410,
            "Unregistered",
            timestamp: 1_700_000_000_000,
            verdict: .refused(.tokenUnregistered, deadSince: Timestamp(milliseconds: 1_700_000_000_000))
        ),
        Refusal(
            410,
            "ExpiredToken",
            timestamp: 1_700_000_000_001,
            verdict: .refused(.tokenExpired, deadSince: Timestamp(milliseconds: 1_700_000_000_001))
        ),
        Refusal(400, "BadDeviceToken", verdict: .refused(.badToken, deadSince: nil)),
        Refusal(400, "DeviceTokenNotForTopic", verdict: .refused(.tokenNotForTopic, deadSince: nil)),
        Refusal(413, "PayloadTooLarge", verdict: .refused(.payloadTooLarge, deadSince: nil)),
        Refusal(400, "BadTopic", verdict: .refused(.badTopic, deadSince: nil)),
        Refusal(400, "TopicDisallowed", verdict: .refused(.topicDisallowed, deadSince: nil)),
        Refusal(400, "BadPriority", verdict: .refused(.badRequest, deadSince: nil)),
        Refusal(403, "Forbidden", verdict: .refused(.forbidden, deadSince: nil)),
        Refusal(400, "SomethingNew", verdict: .refused(.refused, deadSince: nil)),
        Refusal(400, nil, verdict: .refused(.refused, deadSince: nil)),
        Refusal(413, nil, verdict: .refused(.payloadTooLarge, deadSince: nil)),
        Refusal(429, "TooManyRequests", verdict: .tryLater(.tokenThrottled, afterMilliseconds: nil)),
        Refusal(500, "InternalServerError", verdict: .tryLater(.serverBusy, afterMilliseconds: nil)),
        Refusal(503, "ServiceUnavailable", verdict: .tryLater(.serverBusy, afterMilliseconds: nil)),
        Refusal(503, "Shutdown", verdict: .tryLater(.serverBusy, afterMilliseconds: nil)),
        Refusal(302, nil, verdict: .tryLater(.serverBusy, afterMilliseconds: nil)),
        Refusal(599, nil, verdict: .tryLater(.serverBusy, afterMilliseconds: nil)),
        Refusal(400, "IdleTimeout", verdict: .notProcessed),
        Refusal(403, "InvalidProviderToken", verdict: .credentialRefused),
        Refusal(403, "ExpiredProviderToken", verdict: .credentialRefused),
        Refusal(429, "TooManyProviderTokenUpdates", verdict: .credentialRefused),
    ]

    @Test(arguments: refusals)
    func aRefusalHasItsVerdict(_ refusal: Refusal) async throws {
        let apns = try await ScriptedAPNs { _ in
            [.answer(refusal.status, reason: refusal.reason, timestamp: refusal.timestamp)]
        }
        let sender = try Sender(to: apns.port, source: RecordingSource(again: { _ in false }))
        sender.source.add(devices: 1...1)

        let state = try await sender.source.settled(deliveries: 1)
        #expect(state.all == [refusal.verdict])
        #expect(state.traces == [1: ["+\(refusal.status) \(refusal.reason ?? "")"]])
        try await sender.finish()
    }

    @Test func theBodyOfAnErrorMayComeInPieces() async throws {
        let apns = try await ScriptedAPNs { arrival in
            [.raw(Frames.answer(400, pieces: [#"{"rea"#, #"son":"BadDevi"#, #"ceToken"}"#], stream: arrival.stream))]
        }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...1)

        #expect(try await sender.source.settled(deliveries: 1).all == [.refused(.badToken, deadSince: nil)])
        try await sender.finish()
    }

    /// The token is younger than Apple's 20 minutes, so it stays; the connection does not.
    @Test func anExpiredTokenIsTriedOnANewConnection() async throws {
        let apns = try await ScriptedAPNs { arrival in
            arrival.connection == 1 ? [.answer(403, reason: "ExpiredProviderToken")] : [.answer(200)]
        }
        let sender = try Sender(to: apns.port, source: RecordingSource(again: { $0 == .credentialRefused }))
        sender.source.add(devices: 1...1)

        let state = try await sender.source.settled(deliveries: 1)
        #expect(state.all == [.credentialRefused, .delivered])
        let arrivals = apns.watched.now.arrivals
        #expect(arrivals.map(\.connection) == [1, 2])
        #expect(Set(arrivals.map { $0.headers["authorization"] }).count == 1)
        #expect(Set(arrivals.map { $0.headers["apns-id"] }).count == 1)
        try await sender.finish()
    }

    @Test func aRefusedCredentialStopsThePool() async throws {
        let apns = try await ScriptedAPNs { arrival in
            arrival.number <= 1 ? [.answer(200)] : [.answer(403, reason: "InvalidProviderToken")]
        }
        let sender = try Sender(
            to: apns.port,
            source: RecordingSource(again: { $0 == .credentialRefused }),
            connections: 3
        )
        sender.source.add(devices: 1...1)
        try await sender.source.settled(deliveries: 1)
        sender.source.add(devices: 2...50)

        try await apns.watched.wait(until: "every connection is gone") { $0.gone == $0.accepted.count }
        let before = apns.watched.now.accepted.count
        sender.pool.wake()
        let snapshot = try await sender.pool.snapshot().get()
        #expect(snapshot.isStopped)
        #expect(snapshot.connections == 0)
        #expect(apns.watched.now.accepted.count == before)
        #expect(sender.source.watched.now.ready.count == 49)
        try await sender.finish()
    }

    /// A connection that has not seen the refusal must not go on with the credential either.
    @Test func aRefusedCredentialStopsEveryConnection() async throws {
        var greeting = ScriptedAPNs.Greeting()
        greeting.maxStreams = 10
        let apns = try await ScriptedAPNs(greeting) { arrival in arrival.number == 1 ? [.answer(200)] : [] }
        let sender = try Sender(
            to: apns.port,
            source: RecordingSource(again: { $0 == .credentialRefused }),
            connections: 2
        )
        sender.source.add(devices: 1...100)
        try await apns.watched.wait(until: "two connections are full") { $0.arrivals.count == 22 }

        apns.send(2, .answer(403, reason: "InvalidProviderToken", stream: 3))
        try await sender.source.watched.wait(until: "the refusal is known") { $0.count(.credentialRefused) == 1 }
        #expect(try await sender.pool.snapshot().get().isStopped)
        for connection in 1...2 {
            for stream in stride(from: 3, through: 21, by: 2) {
                apns.send(connection, .answer(200, stream: Int32(stream)))
            }
        }
        try await apns.watched.wait(until: "both connections are gone") { $0.gone == 2 }
        #expect(apns.watched.now.arrivals.count == 22)
        #expect(sender.source.watched.now.count(.delivered) == 21)
        try await sender.finish()
    }

    /// The first push of a connection is its probe, so only the second can end it.
    @Test(arguments: [(UInt64.max / 2, 1), (0, 5)])
    func aDisallowedTopicEndsOldConnectionsOnly(_ age: UInt64, _ connections: Int) async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(400, reason: "TopicDisallowed")] }
        let sender = try Sender(to: apns.port) { limits in (limits.topics, limits.streams) = (age, 1) }
        for device in 1...10 {
            sender.source.add(devices: device...device)
            try await sender.source.settled(deliveries: device)
        }
        #expect(sender.source.watched.now.count(.refused(.topicDisallowed, deadSince: nil)) == 10)
        #expect(apns.watched.now.connections.count == connections)
        try await sender.finish()
    }

    /// HTTP cannot carry it, so no other connection can either.
    @Test func aPushThatHTTPForbidsIsRefused() async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...3, collapseID: "two\nlines")
        sender.source.add(devices: 4...6)

        let state = try await sender.source.settled(deliveries: 6)
        #expect(state.count(.refused(.badRequest, deadSince: nil)) == 3)
        #expect(state.count(.delivered) == 3)
        #expect(apns.watched.now.accepted.count == 1)
        try await sender.finish()
    }

    @Test func aStreakOfServerErrorsEndsAConnection() async throws {
        let apns = try await ScriptedAPNs { arrival in
            arrival.connection == 1 ? [.answer(500, reason: "InternalServerError")] : [.answer(200)]
        }
        let again = Verdict.tryLater(.serverBusy, afterMilliseconds: nil)
        let sender = try Sender(to: apns.port, source: RecordingSource(again: { $0 == again })) {
            $0.serverErrors = 5
        }
        sender.source.add(devices: 1...3)

        let state = try await sender.source.settled(deliveries: 3)
        #expect(state.count(.delivered) == 3)
        #expect(state.count(again) == 5)
        try await sender.finish()
    }
}
