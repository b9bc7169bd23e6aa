import CarillonHTTP2
import CarillonSimulator
import CarillonTLS
import CarillonTestKit
import NIOCore
import NIOEmbedded
import Testing

@testable import push_simulator

/// The habits of Google's front end, on one connection without a socket. Time passes as the test says.
struct PushSimulatorFrontEndTests {
    @Test func `a request is answered and a hundred streams are allowed`() throws {
        let pair = try FrontEndPair()
        #expect(pair.http.remoteMaxConcurrentStreams == 100)
        try pair.request("/batch")
        #expect(pair.ends.map(\.status) == [404])
        #expect(pair.goAways.isEmpty)
    }

    @Test func `a connection without requests is closed after three minutes`() throws {
        let pair = try FrontEndPair()
        try pair.request("/batch")
        pair.channel.embeddedEventLoop.advanceTime(by: .seconds(100))
        try pair.request("/batch")
        pair.channel.embeddedEventLoop.advanceTime(by: .seconds(179))
        try pair.exchange()
        #expect(!pair.isClosedByServer)
        pair.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        try pair.exchange()
        #expect(pair.isClosedByServer)
        #expect(pair.goAways.map(\.text) == ["session_timed_out"])
        #expect(pair.goAways.map(\.code) == [.noError])
    }

    @Test func `many pings end a connection`() throws {
        let pair = try FrontEndPair()
        for number in 1...2 {
            try pair.http.ping(UInt64(number))
            try pair.exchange()
        }
        #expect(!pair.isClosedByServer)
        try pair.http.ping(3)
        try pair.exchange()
        #expect(pair.isClosedByServer)
        #expect(pair.goAways.map(\.text) == ["too_many_pings"])
        #expect(pair.goAways.map(\.code) == [.enhanceYourCalm])
        #expect(pair.services.connections.violations == 1)
    }

    @Test(arguments: [
        (#"{"fault":"goaway","form":"none","reason":"x"}"#, "goaway"),
        (#"{"fault":"reset","code":"REFUSED_STREAM"}"#, "reset"),
    ])
    func `a fault that both simulators have ends the request or the connection`(_ rule: String, _ name: String) throws {
        let pair = try FrontEndPair()
        try pair.services.addRule(rule)
        try pair.request("/batch")
        #expect(pair.services.stats.contains("\"faults\":{\"\(name)\":1}"))
        if name == "reset" {
            #expect(pair.ends.map(\.errorCode) == [.refusedStream])
        } else {
            #expect(pair.goAways.count == 1)
        }
    }

    @Test func `a rule answers instead of the service`() throws {
        let pair = try FrontEndPair()
        try pair.services.addRule(#"{"status":503,"service":"fcm","times":1,"retry-after":7}"#)
        try pair.services.addRule(#"{"status":502,"service":"web","html":true}"#)
        try pair.request("/v1/projects/game/messages:send")
        try pair.request("/v1/projects/game/messages:send")
        try pair.request("/push/x")
        #expect(pair.ends.map(\.status) == [503, 401, 502])
        #expect(pair.ends[0].retryAfter == .seconds(7))
    }

    /// A refused request that comes again.
    struct Repetition: CustomTestStringConvertible {
        /// The status of the refusal.
        let status: UInt16
        /// 0 if the refusal has no `retry-after`.
        var retryAfterSeconds = 0
        let waitMilliseconds: Int64
        var isEarly = false

        var testDescription: String { "\(status), again after \(waitMilliseconds) ms" }
    }

    @Test(
        arguments: [
            Repetition(status: 503, waitMilliseconds: 9_999, isEarly: true),
            Repetition(status: 503, waitMilliseconds: 10_000),
            Repetition(status: 503, retryAfterSeconds: 30, waitMilliseconds: 29_999, isEarly: true),
            Repetition(status: 429, waitMilliseconds: 59_999, isEarly: true),
            Repetition(status: 429, retryAfterSeconds: 7, waitMilliseconds: 7_000),
            Repetition(status: 400, waitMilliseconds: 0),
        ])
    func `a repetition before the pause is over is counted`(_ repetition: Repetition) throws {
        let pair = try FrontEndPair()
        let seconds = repetition.retryAfterSeconds
        let retryAfter = seconds > 0 ? #","retry-after":\#(seconds)"# : ""
        try pair.services.addRule(#"{"status":\#(repetition.status),"service":"fcm","times":1\#(retryAfter)}"#)
        var request = ReceivedRequest()
        request.path = "/v1/projects/game/messages:send"
        request.body = Array(FCMTests.body("").utf8)
        request.bodyLength = request.body.count
        for now in [FCMTests.now, FCMTests.now + repetition.waitMilliseconds] {
            // Without an access token the second is refused, but it has come.
            _ = pair.services.withState { pair.services.response(to: request, state: &$0, at: now) }
        }
        #expect(pair.services.withState { $0.earlyRequestCount } == (repetition.isEarly ? 1 : 0))
    }

    @Test(arguments: [
        "{}", #"{"status":100}"#, #"{"token":"a","state":"x"}"#, #"{"subscription":"a","state":"x"}"#,
        #"{"status":503,"evry":2}"#, #"{"fault":"x"}"#, #"{"token":"a","state":"unregistered","nth":1}"#, "x",
    ])
    func `a rule with a mistake is refused`(_ rule: String) throws {
        let pair = try FrontEndPair()
        #expect(throws: (any Error).self) { try pair.services.addRule(rule) }
    }
}
