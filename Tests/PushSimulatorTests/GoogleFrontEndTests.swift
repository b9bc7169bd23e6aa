import CarillonHTTP2
import CarillonSimulator
import CarillonTLS
import CarillonTestKit
import NIOCore
import NIOEmbedded
import Testing

@testable import push_simulator

/// The habits of Google's front end, on one connection without a socket. Time passes as the test says.
struct GoogleFrontEndTests {
    /// The two ends of a connection.
    private final class Pair {
        let state: SimulatedServices
        let channel = EmbeddedChannel()
        let tls: TLSSession
        let http: HTTP2ClientSession
        private(set) var ends: [StreamEnd] = []
        private(set) var goAways: [(code: HTTP2ErrorCode, text: String)] = []
        private(set) var isClosedByServer = false
        private var isOpen = false

        init(pings: Int = 2) throws {
            let authority = try TestAuthority()
            try authority.issue("server", subject: "/CN=localhost", names: "DNS:localhost")
            state = SimulatedServices(
                endpoint: TokenEndpoint(accounts: [], lifetimeSeconds: 60), fcm: FCM(projects: [], quota: nil),
                web: WebPush(service: .google, browsers: [], key: nil),
                rules: ServiceRules(certificates: ("", ""), seed: 1),
                limits: SimulatedServices.ClientLimits(pings: pings))
            let context = try TLSContext.server(
                identity: try authority.identity("server"), applicationProtocols: ["h2"],
                requireApplicationProtocol: true)
            let connection = try state.connection(context)
            try channel.pipeline.syncOperations.addHandler(connection)
            channel.pipeline.fireChannelActive()
            tls = try TLSSession(
                client: try TLSContext.client(
                    trust: .authorities(path: authority.path("ca.pem")), applicationProtocols: ["h2"]),
                serverName: "localhost")
            http = try HTTP2ClientSession(settings: ClientSettings())
            try exchange()
        }

        /// Moves bytes both ways until there are none.
        func exchange() throws {
            while true {
                if !isOpen { isOpen = try tls.handshake() == .complete }
                let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
                defer { room.deallocate() }
                while isOpen, case let count = try http.fill(room), count > 0 {
                    try tls.write(UnsafeRawBufferPointer(rebasing: room[..<count]))
                }
                var moved = false
                if tls.pendingCiphertextBytes > 0 {
                    var buffer = ByteBuffer()
                    tls.takeCiphertext { _ = buffer.writeBytes($0) }
                    try channel.writeInbound(buffer)
                    moved = true
                }
                while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
                    try buffer.withUnsafeReadableBytes { try tls.receive(ciphertext: $0) }
                    moved = true
                }
                if !isOpen { isOpen = try tls.handshake() == .complete }
                if isOpen { try read(room) }
                if !moved { return }
            }
        }

        private func read(_ room: UnsafeMutableRawBufferPointer) throws {
            while !isClosedByServer {
                switch try tls.read(into: room) {
                case .bytes(let count):
                    try http.receive(UnsafeRawBufferPointer(rebasing: room[..<count]))
                    http.takeEvents { event, bytes in
                        switch event {
                        case .streamClosed(let end): ends.append(end)
                        case .goAway(let end): goAways.append((end.errorCode, String(decoding: bytes, as: UTF8.self)))
                        default: break
                        }
                    }
                case .wantMore: return
                case .closed: isClosedByServer = true
                }
            }
        }

        func request(_ path: String) throws {
            let headers = try PreparedHeaders(authority: "localhost", fields: [])
            try Array(path.utf8).withUnsafeBytes { path in
                _ = try http.submit(headers: headers, path: path, body: nil, tag: 1)
            }
            try exchange()
        }
    }

    @Test func aRequestIsAnsweredAndAHundredStreamsAreAllowed() throws {
        let pair = try Pair()
        #expect(pair.http.remoteMaxConcurrentStreams == 100)
        try pair.request("/batch")
        #expect(pair.ends.map(\.status) == [404])
        #expect(pair.goAways.isEmpty)
    }

    @Test func aConnectionWithoutRequestsIsClosedAfterThreeMinutes() throws {
        let pair = try Pair()
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

    @Test func manyPingsEndAConnection() throws {
        let pair = try Pair()
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
        #expect(pair.state.connections.violations == 1)
    }

    @Test(arguments: [
        (#"{"fault":"goaway","form":"none","reason":"x"}"#, "goaway"),
        (#"{"fault":"reset","code":"REFUSED_STREAM"}"#, "reset"),
    ])
    func theSharedFaultsOfBothSimulatorsWork(_ rule: String, _ name: String) throws {
        let pair = try Pair()
        try pair.state.addRule(rule)
        try pair.request("/batch")
        #expect(pair.state.stats.contains("\"faults\":{\"\(name)\":1}"))
        if name == "reset" {
            #expect(pair.ends.map(\.errorCode) == [.refusedStream])
        } else {
            #expect(pair.goAways.count == 1)
        }
    }

    @Test func aRuleAnswersInsteadOfTheService() throws {
        let pair = try Pair()
        try pair.state.addRule(#"{"status":503,"service":"fcm","times":1,"retry-after":7}"#)
        try pair.state.addRule(#"{"status":502,"service":"web","html":true}"#)
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
        var isHasty = false

        var testDescription: String { "\(status), again after \(waitMilliseconds) ms" }
    }

    @Test(
        arguments: [
            Repetition(status: 503, waitMilliseconds: 9_999, isHasty: true),
            Repetition(status: 503, waitMilliseconds: 10_000),
            Repetition(status: 503, retryAfterSeconds: 30, waitMilliseconds: 29_999, isHasty: true),
            Repetition(status: 429, waitMilliseconds: 59_999, isHasty: true),
            Repetition(status: 429, retryAfterSeconds: 7, waitMilliseconds: 7_000),
            Repetition(status: 400, waitMilliseconds: 0),
        ])
    func aRepetitionBeforeThePauseIsOverIsCounted(_ repetition: Repetition) throws {
        let pair = try Pair()
        let seconds = repetition.retryAfterSeconds
        let retryAfter = seconds > 0 ? #","retry-after":\#(seconds)"# : ""
        try pair.state.addRule(#"{"status":\#(repetition.status),"service":"fcm","times":1\#(retryAfter)}"#)
        var request = ReceivedRequest()
        request.path = "/v1/projects/game/messages:send"
        request.body = Array(FCMTests.body("").utf8)
        request.bodyLength = request.body.count
        for now in [FCMTests.now, FCMTests.now + repetition.waitMilliseconds] {
            // Without an access token the second is refused, but it has come.
            _ = pair.state.withState { pair.state.response(to: request, state: &$0, at: now) }
        }
        #expect(pair.state.withState { $0.earlyRequests } == (repetition.isHasty ? 1 : 0))
    }

    @Test(arguments: [
        "{}", #"{"status":100}"#, #"{"token":"a","state":"x"}"#, #"{"subscription":"a","state":"x"}"#,
        #"{"status":503,"evry":2}"#, #"{"fault":"x"}"#, #"{"token":"a","state":"unregistered","nth":1}"#, "x",
    ])
    func aRuleWithAMistakeIsRefused(_ rule: String) throws {
        let pair = try Pair()
        #expect(throws: (any Error).self) { try pair.state.addRule(rule) }
    }
}
