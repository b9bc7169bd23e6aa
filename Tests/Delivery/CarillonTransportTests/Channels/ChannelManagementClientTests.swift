import CarillonAPNs
import CarillonCore
import CarillonTestKit
import CarillonTransport
import Logging
import NIOCore
import NIOPosix
import Testing

/// Requests of channel management over real connections, against a scripted APNs.
@Suite(.cleansUp) struct ChannelManagementClientTests {
    private static let app = TestApps.game
    private static let channel = ChannelID("dHN0LXNyY2gtY2hubA==")!

    private static func created(_ stream: Int32, _ channel: String = "Y2g=") -> ScriptedAPNs.Reaction {
        .raw(Frames.headers([201], [("apns-channel-id", channel)], endsStream: true, stream: stream))
    }

    @Test func `requests are answered over one connection`() async throws {
        let apns = try await ScriptedAPNs { arrival in
            let stream = arrival.stream
            switch (arrival.headers[":method"], arrival.headers[":path"]) {
            case ("POST", _): return [Self.created(stream)]
            case ("DELETE", _): return [.raw(Frames.headers(204, endsStream: true, stream: stream))]
            case (_, "/1/apps/com.example.game/all-channels"):
                return [.raw(Frames.answer(200, pieces: [#"{"chan"#, #"nels":["a","b=="]}"#], stream: stream))]
            default:
                return [.raw(Frames.answer(200, pieces: [#"{"message-storage-policy":1}"#], stream: stream))]
            }
        }
        let sender = try ChannelSender(to: apns.port)
        sender.send(1, .create(.none))
        sender.send(2, .read(Self.channel))
        sender.send(3, .list)
        sender.send(4, .delete(Self.channel))
        #expect(
            try await sender.ended(4) == [
                .success(.created(ChannelID("Y2g=")!)), .success(.policy(.mostRecent)),
                .success(.channels([ChannelID("a")!, ChannelID("b==")!])), .success(.deleted),
            ])
        let arrivals = apns.watched.now.arrivals
        #expect(arrivals.count == 4)
        #expect(apns.watched.now.connections == [1])
        #expect(arrivals.allSatisfy { $0.headers["authorization"]?.hasPrefix("bearer ") == true })
        #expect(arrivals.allSatisfy { $0.headers["apns-topic"] == nil })
        #expect(arrivals.allSatisfy { $0.headers[":authority"] == "localhost" })
        #expect(arrivals.map { $0.headers["apns-channel-id"] }.filter { $0 == Self.channel.text }.count == 2)
        try await sender.finish()
    }

    @Test func `a certificate needs no token`() async throws {
        let apns = try await ScriptedAPNs { [Self.created($0.stream)] }
        let sender = try ChannelSender(to: apns.port, usesToken: false)
        sender.send(1, .create(.mostRecent))
        #expect(try await sender.ended(1) == [.success(.created(ChannelID("Y2g=")!))])
        #expect(apns.watched.now.arrivals[0].headers["authorization"] == nil)
        try await sender.finish()
    }

    @Test func `a list of a thousand channels is read`() async throws {
        // Within the window of a stream: the scripted server does not wait for more of it.
        let ids = (0..<1_000).map { "channel-\($0)-of-a-common-length" }
        let body = Array("{\"channels\":[\(ids.map { "\"\($0)\"" }.joined(separator: ","))]}".utf8)
        let apns = try await ScriptedAPNs { arrival in
            [
                .raw(
                    Frames.headers(200, stream: arrival.stream)
                        + Frames.body(body, endsStream: true, stream: arrival.stream))
            ]
        }
        let sender = try ChannelSender(to: apns.port)
        sender.send(1, .list)
        guard case .success(.channels(let channels)) = try await sender.ended(1)[0] else {
            Issue.record("no list")
            return
        }
        #expect(channels.map(\.text) == ids)
        try await sender.finish()
    }

    @Test func `a slow request holds up no other`() async throws {
        // The first request of the first connection is never answered.
        let apns = try await ScriptedAPNs {
            $0.connection == 1 && $0.number == 1 ? [] : [Self.created($0.stream)]
        }
        let sender = try ChannelSender(to: apns.port) { $0.requestTimeoutMilliseconds = 10_000 }
        sender.send(2, .create(.none))
        _ = try await apns.watched.wait(until: "the first request has arrived") { !$0.arrivals.isEmpty }
        sender.send(1, .create(.none))
        #expect(try await sender.ended(1) == [.success(.created(ChannelID("Y2g=")!))])
        #expect(
            try await sender.ended(2)[1]
                == .failure(ChannelManagementError(.unavailable, reason: "timeout", effect: .unknown)))
        // The connection may be dead: the next request gets another one.
        sender.send(3, .create(.none))
        _ = try await apns.watched.wait(until: "there is a second connection") { $0.connections == [1, 2] }
        try await sender.finish()
    }

    @Test func `a request that was not processed is sent again`() async throws {
        let apns = try await ScriptedAPNs { arrival in
            switch arrival.connection {
            case 1: [.goAway(last: 0), .close]
            case 2: [.answer(403, reason: "ExpiredProviderToken")]
            default: [Self.created(arrival.stream)]
            }
        }
        let sender = try ChannelSender(to: apns.port)
        sender.send(1, .create(.none))
        #expect(try await sender.ended(1) == [.success(.created(ChannelID("Y2g=")!))])
        #expect(apns.watched.now.arrivals.map(\.connection) == [1, 2, 3])
        try await sender.finish()
    }

    @Test func `a call that may have been processed is not sent again`() async throws {
        let apns = try await ScriptedAPNs { _ in [.cut] }
        let caller = try ChannelSender(to: apns.port)
        caller.send(1, .create(.none))
        #expect(
            try await caller.ended(1)
                == [.failure(ChannelManagementError(.unavailable, reason: "connection-closed", effect: .unknown))])
        #expect(apns.watched.now.arrivals.count == 1)
        try await caller.finish()
    }

    @Test func `requests to an absent host fail at once and have no effect`() async throws {
        let apns = try await ScriptedAPNs { _ in [] }
        let port = apns.port
        try await apns.close()
        let sender = try ChannelSender(to: port)
        for number in 1...3 { sender.send(number, .create(.none)) }
        for end in try await sender.ended(3) {
            #expect(end == .failure(ChannelManagementError(.unavailable, reason: "cannot-connect")))
        }
        try await sender.finish()
    }

    @Test func `a host that does not greet is given up`() async throws {
        var greeting = ScriptedAPNs.Greeting()
        greeting.protocols = ["http/1.1"]
        let apns = try await ScriptedAPNs(greeting) { _ in [] }
        let sender = try ChannelSender(to: apns.port)
        sender.send(1, .list)
        #expect(
            try await sender.ended(1) == [.failure(ChannelManagementError(.unavailable, reason: "cannot-connect"))])
        try await sender.finish()
    }

    @Test func `requests beyond the limit are refused and all end when it is closed`() async throws {
        let apns = try await ScriptedAPNs { _ in [] }
        let sender = try ChannelSender(to: apns.port) { limits in
            limits.requests = 3
            limits.requestTimeoutMilliseconds = 1_000
        }
        for number in 1...4 { sender.send(number, .create(.none)) }
        let refused = try await sender.ends.wait(until: "one is refused") { $0[4] != nil }
        #expect(refused[4] == [.failure(ChannelManagementError(.overloaded, reason: "overloaded"))])
        try await sender.finish()
        for end in try await sender.ended(3) {
            #expect(end == .failure(ChannelManagementError(.unavailable, reason: "timeout", effect: .unknown)))
        }
        sender.send(5, .list)
        let closed = try await sender.ends.wait(until: "the request after the end has ended") { $0[5] != nil }
        #expect(closed[5] == [.failure(ChannelManagementError(.unavailable, reason: "closed"))])
    }
}
