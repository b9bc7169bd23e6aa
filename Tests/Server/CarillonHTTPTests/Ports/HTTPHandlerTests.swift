import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import CarillonHTTP

/// One connection of HTTP: its reads, its answers, its refusals and its ends.
struct HTTPHandlerTests {
    @Test func `requests are answered one after the other`() throws {
        let port = ScriptedPort()
        let client = try port.connect()
        for name in ["a", "b"] {
            try client.head(.POST, "/\(name)?x=1")
            try client.body("one ")
            try client.body("two")
            #expect(port.service.waiting.isEmpty, "the body has not ended")
            try client.end()
            #expect(!client.handler.isIdle)
            port.answer("answer \(name)")
            #expect(
                try client.written(fields: "content-length") == ["200 content-length=8", "'answer \(name)'", "end"])
            #expect(client.handler.isIdle)
        }
        #expect(port.service.requests == ["POST /a one two", "POST /b one two"])
        #expect(port.listener.heldBodyBytes == 0)
    }

    @Test func `the answer to HEAD has the length and no body`() throws {
        let port = ScriptedPort()
        let client = try port.connect()
        try client.head(.HEAD, "/a")
        try client.end()
        port.answer("four")
        #expect(try client.written(fields: "content-length") == ["200 content-length=4", "end"])
    }

    @Test func `an answer keeps its own fields beside those of the port`() throws {
        let port = ScriptedPort()
        let client = try port.connect()
        for own: HTTPHeaders in [[:], ["x-frame-options": "SAMEORIGIN"]] {
            try client.head(.GET, "/a")
            try client.end()
            port.answer(HTTPResponse(.noContent, headers: own))
        }
        let written = try client.written(fields: "x-frame-options").filter { $0 != "end" }
        #expect(written == ["204 x-frame-options=DENY", "204 x-frame-options=SAMEORIGIN"])
    }

    @Test func `a connection with close ends after its answer`() throws {
        let port = ScriptedPort()
        let client = try port.connect()
        try client.head(.GET, "/a", fields: ["connection": "close"])
        try client.end()
        port.answer("bye")
        #expect(try client.written(fields: "connection") == ["200 connection=close", "'bye'", "end", "closed"])
    }

    @Test func `a failure of the service is answered and ends the connection`() throws {
        let port = ScriptedPort()
        let client = try port.connect()
        try client.head(.GET, "/a")
        try client.end()
        port.fail()
        #expect(try client.written() == ["500", "'the request has failed\n'", "end", "closed"])
    }

    // MARK: Bounds

    /// The rest of what the client sends is read and dropped, so that it gets the answer.
    @Test(arguments: [("/a", ["content-length": "5"]), ("/a", [:])] as [(String, HTTPHeaders)])
    func `a body that is too long is refused before its end`(_ path: String, _ headers: HTTPHeaders) throws {
        var limits = HTTPLimits()
        limits.bodyBytes = 4
        let port = ScriptedPort(limits)
        let client = try port.connect()
        try client.head(.POST, path, fields: headers)
        try client.body("12345")
        #expect(
            try client.written(fields: "connection") == ["413 connection=close", "'the body is too long\n'", "end"])
        #expect(port.listener.heldBodyBytes == 0)
        try client.body("67890")
        try client.end()
        #expect(try client.written() == ["closed"])
        #expect(port.service.requests == [])
    }

    @Test func `the bodies of all connections are bounded`() throws {
        var limits = HTTPLimits()
        limits.totalBodyBytes = 6
        let port = ScriptedPort(limits)
        let clients = try (0..<3).map { _ in try port.connect() }
        for client in clients { try client.head(.POST, "/a") }
        try clients[0].body("1234")
        try clients[1].body("1234")
        #expect(try clients[1].written() == ["503", "'too many bodies at once\n'", "end"])
        try clients[0].end()
        port.answer("ok")
        #expect(port.listener.heldBodyBytes == 0)
        try clients[2].body("123456")
        #expect(try clients[2].written() == [], "there is room again")
    }

    /// The head of a request, and the status of its refusal.
    struct RefusedHead: CustomTestStringConvertible {
        let path: String
        var fields: HTTPHeaders = [:]
        let status: String

        var testDescription: String { "\(status) for \(path)" }
    }

    static let refusedHeads = [
        RefusedHead(path: "/secret", status: "403"),
        RefusedHead(path: "/a", fields: HTTPHeaders((0..<65).map { ("x-\($0)", "") }), status: "431"),
        RefusedHead(path: "/a", fields: ["x": String(repeating: "y", count: 16_384)], status: "431"),
        RefusedHead(path: "*", status: "400"),
    ]

    @Test(arguments: refusedHeads)
    func `a refused head is answered at once and cut soon after`(_ head: RefusedHead) throws {
        let port = ScriptedPort()
        let client = try port.connect()
        try client.head(.POST, head.path, fields: head.fields)
        #expect(try client.written(fields: "connection").first == "\(head.status) connection=close")
        #expect(try client.written() == [])
        port.advance(.seconds(2))
        #expect(try client.written() == ["closed"])
        #expect(port.service.requests == [])
    }

    // MARK: Time

    @Test func `a connection is cut when nothing happens in time`() throws {
        let port = ScriptedPort()
        let silent = try port.connect()
        let slow = try port.connect()
        let unanswered = try port.connect()
        try unanswered.head(.GET, "/a")
        try unanswered.end()
        port.advance(.seconds(14))
        try slow.head(.POST, "/a")
        port.advance(.seconds(1))
        #expect(try silent.written() == ["closed"], "no request has come")
        port.advance(.seconds(13))
        #expect(try slow.written() == [])
        port.advance(.seconds(1))
        #expect(try slow.written() == ["closed"], "the request has not ended")
        port.advance(.seconds(30))
        #expect(try unanswered.written() == [])
        port.advance(.seconds(1))
        #expect(try unanswered.written() == ["closed"])
    }

    @Test func `an idle connection stays longer than a new one`() throws {
        let port = ScriptedPort()
        let client = try port.connect()
        try client.head(.GET, "/a")
        try client.end()
        port.answer("")
        #expect(try client.written() == ["200", "end"])
        port.advance(.seconds(74))
        #expect(try client.written() == [])
        port.advance(.seconds(1))
        #expect(try client.written() == ["closed"])
    }

    // MARK: Lines

    private func stream(_ port: ScriptedPort, _ client: ScriptedPort.Connection) throws -> LineStream {
        let stream = LineStream()
        var answer = HTTPResponse(.ok)
        answer.body = .lines(stream)
        try client.head(.GET, "/events")
        try client.end()
        port.answer(answer)
        return stream
    }

    @Test func `lines are written as they come until the stream ends`() throws {
        let port = ScriptedPort()
        let client = try port.connect()
        let stream = try stream(port, client)
        #expect(try client.written(fields: "content-length") == ["200"])
        stream.write(Array("one\n".utf8))
        #expect(try client.written() == ["'one\n'"])
        port.advance(.hours(1))
        stream.write(Array("two\n".utf8))
        stream.end()
        #expect(try client.written() == ["'two\n'", "end", "closed"])
    }

    @Test func `the stream is told that its reader is gone`() throws {
        let port = ScriptedPort()
        let client = try port.connect()
        let stream = try stream(port, client)
        var isGone = false
        stream.onClose = { isGone = true }
        client.channel.close(promise: nil)
        #expect(isGone)
    }

    @Test func `a reader that takes nothing is cut and one that goes on is not`() throws {
        let port = ScriptedPort()
        let stalled = try port.connect()
        let slow = try port.connect()
        var drains = 0
        for client in [stalled, slow] {
            let stream = try stream(port, client)
            stream.onDrain = { drains += 1 }
            client.channel.isWritable = false
            client.channel.pipeline.fireChannelWritabilityChanged()
            #expect(!stream.isWritable())
        }
        port.advance(.seconds(29))
        slow.channel.isWritable = true
        slow.channel.pipeline.fireChannelWritabilityChanged()
        #expect(drains == 1)
        port.advance(.seconds(1))
        #expect(try stalled.written() == ["200", "closed"])
        #expect(try slow.written() == ["200"])
    }
}
