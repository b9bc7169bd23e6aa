import CarillonHTTP2
import CarillonTestKit
import NIOCore
import NIOPosix
import Testing

@testable import CarillonTransport

/// One request and its answer, against a scripted server: how much is taken of it, and what ends it.
@Suite(.cleansUp) struct SingleRequestTests {
    /// Only a test that is about the timeout may run into it, however busy the machine is.
    private static let long = TimeAmount.hours(1)

    /// Sends a request to a port; returns the status and the body, or why there is no answer.
    private func post(to port: Int, timeout: TimeAmount = long) async throws -> String {
        do {
            let answer = try await answer(of: port, timeout: timeout)
            return "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
        } catch {
            return "\(error)"
        }
    }

    private func answer(of port: Int, timeout: TimeAmount = long) async throws -> SingleResponse {
        let tls = try TestCertificates.shared.get().clientContext
        let endpoint = SingleRequest.Endpoint(host: "localhost", port: port, tls: tls)
        let request = SingleRequest(to: endpoint, timeout: timeout)
        return try await request.post(
            path: "/token", contentType: "application/x-www-form-urlencoded", body: Array("grant=x".utf8),
            on: MultiThreadedEventLoopGroup.singleton.next()
        ).get()
    }

    @Test func `the answer is returned and the connection closed`() async throws {
        let server = try await ScriptedAPNs { _ in [.answer(400, reason: "invalid_grant")] }
        #expect(try await post(to: server.port) == #"400 {"reason":"invalid_grant"}"#)
        let state = try await server.watched.wait(until: "the connection is closed") { $0.gone == 1 }
        let arrival = try #require(state.arrivals.first)
        #expect(
            arrival.headers.filter { $0.key != "content-length" } == [
                ":method": "POST", ":scheme": "https", ":authority": "localhost:\(server.port)", ":path": "/token",
                "content-type": "application/x-www-form-urlencoded",
            ])
        #expect(arrival.bodyBytes == 7)
    }

    @Test func `the time of the next try is read`() async throws {
        let server = try await ScriptedAPNs { arrival in
            [.raw(Frames.headers([503], [("retry-after", "7")], endsStream: true, stream: arrival.stream))]
        }
        let answer = try await answer(of: server.port)
        #expect(answer.status == 503)
        #expect(answer.retryAfter?.milliseconds(atWallMilliseconds: 0) == 7_000)
    }

    /// A server that never stops must not fill the memory.
    @Test func `only the beginning of a long body is kept`() async throws {
        let server = try await ScriptedAPNs { arrival in
            [
                .raw(
                    Frames.headers(200, stream: arrival.stream)
                        + Frames.body(Array(repeating: 0x61, count: 60_000), endsStream: true, stream: arrival.stream))
            ]
        }
        let answer = try await answer(of: server.port)
        #expect(answer.body == Array(repeating: 0x61, count: 16_384))
    }

    // MARK: No answer

    @Test(
        arguments: [
            (.reset(.refusedStream), "the request was reset with the code 7"),
            (
                .raw(Frames.headers([], [("retry-after", "7")], endsStream: true, stream: 1)),
                "the answer is not valid HTTP"
            ),
            (.raw(Frames.headers(200, stream: 1) + Frames.reset(0, stream: 1)), "the answer was cut off"),
            (.close, "the connection ended before the answer"), (.cut, "the connection ended before the answer"),
        ] as [(ScriptedAPNs.Reaction, String)])
    func `an end before the answer fails the request`(reaction: ScriptedAPNs.Reaction, expected: String) async throws {
        let server = try await ScriptedAPNs { _ in [reaction] }
        #expect(try await post(to: server.port) == expected)
    }

    @Test func `a server that sends nothing fails the request in time`() async throws {
        let server = try await ScriptedAPNs { _ in [] }
        #expect(try await post(to: server.port, timeout: .milliseconds(500)) == "no answer in time")
        try await server.watched.wait(until: "the connection is closed") { $0.gone == $0.connectionTimes.count }
    }

    @Test(arguments: [.otherHost, .expired, .foreign] as [TestCertificates.ServerCertificate])
    func `a server with a wrong certificate gets no request`(certificate: TestCertificates.ServerCertificate)
        async throws
    {
        let server = try await ScriptedAPNs(ScriptedAPNs.Greeting(certificate: certificate)) { _ in [.answer(200)] }
        await #expect(throws: (any Error).self) { try await answer(of: server.port) }
        #expect(server.watched.now.arrivals.isEmpty)
    }

    @Test func `a port on which nothing listens fails`() async throws {
        let server = try await ScriptedAPNs { _ in [] }
        try await server.close()
        await #expect(throws: (any Error).self) { try await answer(of: server.port) }
    }
}
