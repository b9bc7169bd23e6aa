import CarillonCore
import CarillonHTTP2
import CarillonProvider
import CarillonTestKit
import CarillonTransport
import NIOCore
import Testing

/// The answers of APNs, and the results that the source gets. AnswerJudgeTableTests has the table of all answers.
@Suite(.cleansUp) struct PushConnectionAnswerTests {
    @Test func `a push is delivered with its headers`() async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...1)

        let state = try await sender.source.allReturned(deliveries: 1)
        #expect(state.all == [.delivered])
        #expect(state.traces == [1: ["+200 "]])
        let arrival = try #require(apns.watched.now.arrivals.first)
        let expected = [
            ":method": "POST", ":scheme": "https", ":authority": "localhost", "apns-topic": "com.example.game",
            "apns-push-type": "alert",
        ]
        #expect(arrival.headers.filter { expected.keys.contains($0.key) } == expected)
        let path = arrival.headers[":path"] ?? ""
        let id = arrival.headers["apns-id"]
        #expect(path.wholeMatch(of: /\/3\/device\/abab[0-9a-f]{60}/) != nil, "\(path)")
        #expect(id?.utf8.count == 36)
        #expect(arrival.headers["authorization"]?.hasPrefix("bearer ey") == true)
        #expect(arrival.bodyBytes == 32)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a broadcast push goes over the same connection`() async throws {
        let apns = try await ScriptedAPNs { arrival in
            let fields = arrival.number == 1 ? [] : [("apns-unique-id", "0e9a-64d6")]
            return [.raw(Frames.headers([200], fields, endsStream: true, stream: arrival.stream))]
        }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...1)
        try await sender.source.allReturned(deliveries: 1)
        sender.source.add(broadcastTo: ChannelID("dHN0LXNyY2gtY2hubA==")!, payload: #"{"aps":{}}"#)

        let state = try await sender.source.allReturned(deliveries: 2)
        #expect(state.all == [.delivered, .delivered])
        #expect(state.uniqueIDs == [1: [""], 0: ["0e9a-64d6"]])
        let arrival = try #require(apns.watched.now.arrivals.last)
        let expected = [
            ":path": "/4/broadcasts/apps/com.example.game", "apns-channel-id": "dHN0LXNyY2gtY2hubA==",
            "apns-push-type": "liveactivity", "apns-priority": "10", "apns-expiration": "0",
        ]
        #expect(arrival.headers.filter { expected.keys.contains($0.key) } == expected)
        #expect(arrival.headers["apns-request-id"]?.utf8.count == 36)
        #expect(arrival.headers["authorization"]?.hasPrefix("bearer ey") == true)
        for name in ["apns-topic", "apns-id", "apns-collapse-id"] { #expect(arrival.headers[name] == nil) }
        #expect(arrival.connection == 1)
        #expect(arrival.bodyBytes == 10)
        try await sender.closeExpectingAllReturned()
    }

    /// The id that APNs gives a push is kept if it is short text; anything else is as good as none.
    @Test(arguments: [
        ("0e9a64d6-7b38-4b6d-9d8f-0a1b2c3d4e5f", true), (String(repeating: "~", count: 64), true),
        (String(repeating: "~", count: 65), false), ("", false), ("a b", false), ("ä", false),
    ])
    func `an id of APNs is kept`(_ id: String, _ isKept: Bool) async throws {
        let apns = try await ScriptedAPNs { arrival in
            let fields = [("apns-unique-id", id), ("apns-unique-id", "second")]
            return [
                .raw(
                    Frames.headers(
                        [200], arrival.number == 1 ? fields : [], endsStream: true, stream: arrival.stream))
            ]
        }
        let sender = try Sender(to: apns.port)
        for device in 1...2 {
            sender.source.add(devices: device...device)
            try await sender.source.allReturned(deliveries: device)
        }
        let state = sender.source.watched.now
        #expect(state.all == [.delivered, .delivered])
        // Only the first field of that name counts.
        #expect(state.uniqueIDs[1] == [isKept ? id : ""])
        #expect(state.uniqueIDs[2] == [""], "the slot is used again without the id of before")
        try await sender.closeExpectingAllReturned()
    }

    /// The second push has the slot of the first, whose description must not be taken for its own.
    @Test(arguments: [(400, "+400 another key"), (200, "+200 "), (201, "+201 ")])
    func `an error description belongs to the push that it came with`(_ status: Int, _ trace: String) async throws {
        let apns = try await ScriptedAPNs { arrival in
            let isFirst = arrival.number == 1
            let fields = isFirst ? [("x-wns-error-description", "another key")] : []
            return [.raw(Frames.headers([isFirst ? status : 400], fields, endsStream: true, stream: arrival.stream))]
        }
        let sender = try Sender(to: apns.port, adapter: DescriptionAdapter())
        for device in 1...2 {
            sender.source.add(devices: device...device)
            try await sender.source.allReturned(deliveries: device)
        }
        #expect(sender.source.watched.now.traces == [1: [trace], 2: ["+400 "]])
        try await sender.closeExpectingAllReturned()
    }

    @Test func `the body of an error may come in pieces`() async throws {
        let apns = try await ScriptedAPNs { arrival in
            [.raw(Frames.answer(400, pieces: [#"{"rea"#, #"son":"BadDevi"#, #"ceToken"}"#], stream: arrival.stream))]
        }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...1)

        #expect(try await sender.source.allReturned(deliveries: 1).all == [.refused(.badToken, deadSince: nil)])
        try await sender.closeExpectingAllReturned()
    }

    /// The token is younger than Apple's 20 minutes, so it stays; the connection does not.
    @Test func `an expired token is tried on a new connection`() async throws {
        let apns = try await ScriptedAPNs { arrival in
            arrival.connection == 1 ? [.answer(403, reason: "ExpiredProviderToken")] : [.answer(200)]
        }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...1)

        let state = try await sender.source.allReturned(deliveries: 1)
        #expect(state.all == [.notProcessed, .delivered])
        let arrivals = apns.watched.now.arrivals
        #expect(arrivals.map(\.connection) == [1, 2])
        #expect(Set(arrivals.map { $0.headers["authorization"] }).count == 1)
        #expect(Set(arrivals.map { $0.headers["apns-id"] }).count == 1)
        try await sender.closeExpectingAllReturned()
    }

    /// Every answer of APNs on a connection after it has refused the credential there may follow from that.
    @Test func `only the first refusal on a connection counts`() async throws {
        let apns = try await ScriptedAPNs { arrival in
            arrival.connection == 1 && arrival.number > 1 ? [] : [.answer(200)]
        }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...1)
        try await sender.source.allReturned(deliveries: 1)
        sender.source.add(devices: 2...11)
        try await apns.watched.wait(until: "ten requests wait") { $0.mostWaiting[1] == 10 }
        apns.answer(pushes: 2...11, on: 1, with: 403, reason: "InvalidProviderToken")
        let state = try await sender.source.watched.wait(until: "all but the first are delivered") {
            $0.count(.delivered) == 10
        }
        #expect(state.verdicts[2] == [.credentialRefused])
        for device in 3...11 as ClosedRange<UInt64> { #expect(state.verdicts[device] == [.notProcessed, .delivered]) }
        #expect(state.traces[3] == ["+403 InvalidProviderToken", "+200 "])
        try await apns.watched.wait(until: "the first connection is gone") { $0.gone == 1 }
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a GOAWAY because of the credential is reported`() async throws {
        let apns = try await ScriptedAPNs { arrival in
            arrival.connection == 1 ? [.goAway(last: 0, debug: #"{"reason":"BadCertificate"}"#)] : [.answer(200)]
        }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...3)
        try await sender.source.allReturned(deliveries: 3)
        #expect(sender.source.watched.now.refusals == ["BadCertificate"])
        #expect(sender.source.watched.now.count(.delivered) == 3)
        try await sender.closeExpectingAllReturned()
    }

    /// A pool whose credential is refused altogether has no connections, until there is something to try.
    @Test func `all connections can be ended`() async throws {
        var greeting = ScriptedAPNs.Greeting()
        greeting.maxStreams = 10
        let apns = try await ScriptedAPNs(greeting) { arrival in arrival.number == 1 ? [.answer(200)] : [] }
        let sender = try Sender(to: apns.port, connections: 2)
        sender.source.add(devices: 1...22)
        try await apns.watched.wait(until: "two connections are full") { $0.arrivals.count == 22 }
        sender.pool.drainAllConnections()
        for connection in 1...2 { apns.answer(pushes: 2...11, on: connection) }
        try await apns.watched.wait(until: "both connections are gone") { $0.gone == 2 }
        #expect(sender.source.watched.now.count(.delivered) == 22)
        #expect(try await sender.pool.statistics().get().connections == 0)
        sender.source.add(devices: 23...23)
        try await sender.source.allReturned(deliveries: 23)
        #expect(apns.watched.now.connectionTimes.count == 3)
        try await sender.closeExpectingAllReturned()
    }

    /// The first push of a connection is its probe, so only the second can end it.
    @Test(arguments: [(UInt64.max / 2, 1), (0, 5)])
    func `a disallowed topic ends old connections only`(_ age: UInt64, _ connections: Int) async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(400, reason: "TopicDisallowed")] }
        let sender = try Sender(to: apns.port) { limits in
            limits.minimumAPNsTopicAgeMilliseconds = age
            limits.streams = 1
        }
        for device in 1...10 {
            sender.source.add(devices: device...device)
            try await sender.source.allReturned(deliveries: device)
        }
        #expect(sender.source.watched.now.count(.refused(.topicDisallowed, deadSince: nil)) == 10)
        #expect(apns.watched.now.connections.count == connections)
        try await sender.closeExpectingAllReturned()
    }

    /// HTTP cannot carry this push, so no other connection can either.
    @Test func `a push that HTTP forbids is refused`() async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...3, collapseID: "two\nlines")
        sender.source.add(devices: 4...6)

        let state = try await sender.source.allReturned(deliveries: 6)
        #expect(state.count(.refused(.badRequest, deadSince: nil)) == 3)
        #expect(state.count(.delivered) == 3)
        #expect(apns.watched.now.connectionTimes.count == 1)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a streak of server errors ends a connection`() async throws {
        let apns = try await ScriptedAPNs { arrival in
            arrival.connection == 1 ? [.answer(500, reason: "InternalServerError")] : [.answer(200)]
        }
        let again = Verdict.tryLater(.serverBusy, afterMilliseconds: nil)
        let sender = try Sender(to: apns.port, source: RecordingSource(retries: { $0 == again })) {
            $0.serverErrors = 5
        }
        sender.source.add(devices: 1...3)

        let state = try await sender.source.allReturned(deliveries: 3)
        #expect(state.count(.delivered) == 3)
        #expect(state.count(again) == 5)
        try await sender.closeExpectingAllReturned()
    }
}
