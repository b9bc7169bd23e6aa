import Testing

@testable import CarillonHTTP2
@testable import CarillonHTTP2Server

/// Small windows, resets, GOAWAY, too many pings, garbage and cut connections: what each does to the requests under
/// way.
struct HTTP2ClientSessionFaultTests {
    @Test func `a body larger than the window flows in pieces`() throws {
        var settings = HTTP2ServerSettings()
        settings.initialWindowSize = 100
        let pair = try HTTP2Pair(server: settings)
        var length = 0
        pair.onRequest = { server, request in
            length = request.bodyLength
            #expect(request.body.count == 8192)
            try server.respond(to: request.stream, with: PreparedResponse(status: 200))
        }
        try pair.exchangeAll()
        try pair.push("aa", tag: 1, body: PreparedBody([UInt8](repeating: 0, count: 100_000)))
        try pair.exchangeAll()
        #expect(length == 100_000)
        #expect(pair.ends[1]?.status == 200)
    }

    @Test func `a window made negative stalls and recovers`() throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        var whole = false
        pair.onRequest = { server, request in
            whole = true
            try server.respond(to: request.stream, with: PreparedResponse(status: 200))
        }
        try pair.push("aa", tag: 1, body: PreparedBody([UInt8](repeating: 0, count: 60_000)))
        // One buffer is sent before the server reduces the window.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)
        defer { buffer.deallocate() }
        let count = try pair.client.fill(buffer)
        try pair.server.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        try pair.server.update(initialWindowSize: 0)
        try pair.serverToClient()
        try pair.clientToServer()
        #expect(!whole)
        #expect(pair.client.openStreams == 1)

        try pair.server.update(initialWindowSize: 65_535)
        try pair.exchangeAll()
        #expect(whole)
        #expect(pair.ends[1]?.status == 200)
    }

    @Test func `an answer before the end of the request ends the stream`() throws {
        var settings = HTTP2ServerSettings()
        settings.initialWindowSize = 10
        let pair = try HTTP2Pair(server: settings)
        try pair.exchangeAll()
        try pair.push("aa", tag: 1, body: PreparedBody([UInt8](repeating: 0, count: 5000)))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)
        defer { buffer.deallocate() }
        let count = try pair.client.fill(buffer)
        try pair.server.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        try pair.server.respond(
            to: 1,
            with: PreparedResponse(status: 413),
            body: PreparedBody(#"{"reason":"PayloadTooLarge"}"#.utf8)
        )
        try pair.exchangeAll()
        #expect(pair.ends[1]?.status == 413)
        #expect(pair.ends[1]?.isComplete == true)
        #expect(pair.answer(1) == #"{"reason":"PayloadTooLarge"}"#)
        #expect(pair.client.openStreams == 0)
    }

    /// Makes a pair whose client has sent the requests 0 to 3 on the streams 1 to 7, has not yet sent 99, and is told
    /// that the last stream is 3.
    private func pairAfterGOAWAY() throws -> HTTP2Pair {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        pair.onRequest = { _, _ in }
        for tag in 0..<4 as Range<UInt64> { try pair.push("\(tag)", tag: tag) }
        try pair.clientToServer()
        try pair.push("99", tag: 99)
        try pair.server.goAway(lastStreamID: 3, code: .noError, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
        try pair.serverToClient()
        return pair
    }

    @Test func `after a GOAWAY the client submits nothing`() throws {
        let pair = try pairAfterGOAWAY()
        #expect(!pair.client.canSubmit)
        #expect(pair.client.availableStreams == 0)
        #expect(throws: HTTP2Error.streamsNotAllowed) { try pair.push("aa", tag: 100) }
        let notice = try #require(pair.goAway)
        #expect(notice.lastStreamID == 3)
        #expect(notice.code == .noError)
        #expect(notice.debugText == #"{"reason":"Shutdown"}"#)
    }

    @Test func `a GOAWAY says which requests were never processed`() throws {
        let pair = try pairAfterGOAWAY()
        try pair.server.respond(to: 1, with: PreparedResponse(status: 200))
        try pair.server.respond(to: 3, with: PreparedResponse(status: 200))
        try pair.exchangeAll()
        pair.collect()
        #expect([0, 1].map { pair.ends[$0]?.status } == [200, 200])
        #expect([2, 3].map { pair.ends[$0]?.errorCode } == [.refusedStream, .refusedStream])
        #expect([2, 3].map { pair.ends[$0]?.wasSent } == [true, true])
        let last = try #require(pair.ends[99])
        #expect(last.errorCode == .refusedStream)
        #expect(!last.wasSent)
        #expect(last.status == 0)
        let left = (pair.client.openStreams, pair.client.wantsRead, pair.client.wantsWrite)
        #expect(left == (0, false, false))
    }

    @Test(arguments: [HTTP2ErrorCode.refusedStream, .internalError, .cancel, .enhanceYourCalm])
    func `a reset keeps its code`(code: HTTP2ErrorCode) throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        pair.onRequest = { server, request in try server.reset(stream: request.stream, code: code) }
        try pair.push("aa", tag: 5)
        try pair.exchangeAll()
        let end = try #require(pair.ends[5])
        #expect(end.errorCode == code)
        #expect(end.status == 0)
        #expect(!end.isComplete)
        #expect(end.wasSent)
    }

    @Test func `a cancelled request ends on both sides`() throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        pair.onRequest = { _, _ in }
        let stream = try pair.push("aa", tag: 5)
        try pair.clientToServer()
        try pair.client.cancel(stream: stream)
        try pair.exchangeAll()
        pair.collect()
        #expect(pair.ends[5]?.errorCode == .cancel)
        #expect(pair.serverClosed.map(\.code) == [.cancel])
        #expect(pair.client.openStreams == 0)
        #expect(throws: HTTP2Error.unknownStream) {
            try pair.server.respond(to: stream, with: PreparedResponse(status: 200))
        }
    }

    @Test func `an end tells written requests from unwritten ones`() throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        pair.onRequest = { _, _ in }
        try pair.push("aa", tag: 1)
        try pair.clientToServer()
        try pair.push("bb", tag: 2)
        pair.client.close()
        pair.client.close()
        var seen: [UInt64: Bool] = [:]
        pair.client.forEachOpenStream { tag, _, wasSent, _ in seen[tag] = wasSent }
        #expect(seen == [1: true, 2: false])
        #expect(throws: HTTP2Error.closed) { try pair.push("cc", tag: 3) }
    }

    @Test func `a request counts as sent before its bytes are out`() throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        try pair.push("aa", tag: 1)
        let one = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { one.deallocate() }
        #expect(try pair.client.fill(one) == 1)
        pair.client.forEachOpenStream { _, _, wasSent, _ in #expect(wasSent) }
    }

    @Test func `bytes pass in pieces of one`() throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        try pair.push("aa", tag: 1)
        let one = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { one.deallocate() }
        var requests = 0
        while try pair.client.fill(one) > 0 {
            try pair.server.receive(UnsafeRawBufferPointer(one))
            pair.server.takeEvents { if case .request = $0 { requests += 1 } }
        }
        #expect(requests == 1)
    }

    @Test func `garbage is refused on both sides`() throws {
        let garbage = Array("GET / HTTP/1.1\r\nHost: example\r\n\r\n".utf8)
        let server = try HTTP2ServerSession()
        #expect(throws: HTTP2Error.notHTTP2) { try garbage.withUnsafeBytes { try server.receive($0) } }
        let client = try HTTP2ClientSession()
        #expect(throws: HTTP2Error.protocolViolation) { try garbage.withUnsafeBytes { try client.receive($0) } }
        #expect(client.wantsWrite)
    }

    @Test func `more streams than announced end the connection as the owner decides`() throws {
        var settings = HTTP2ServerSettings()
        settings.maxConcurrentStreams = 100
        let pair = try HTTP2Pair(server: settings)
        try pair.exchangeAll()
        pair.onRequest = { _, _ in }
        for tag in 0..<100 as Range<UInt64> { try pair.push("aa", tag: tag) }
        try pair.clientToServer()
        // A client that ignores the limit: the frames of stream 201, written by hand.
        let headers: [UInt8] = [0, 0, 1, 1, 5, 0, 0, 0, 201, 0x83]
        #expect(throws: HTTP2Error.tooManyStreams) { try headers.withUnsafeBytes { try pair.server.receive($0) } }
        try pair.server.goAway(lastStreamID: 199, code: .refusedStream, debugData: Array("too many".utf8))
        try pair.serverToClient()
        #expect(pair.goAway?.code == .refusedStream)
        #expect(pair.goAway?.debugText == "too many")
    }

    @Test func `pings come back with their value`() throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        try pair.client.ping(0x0102_0304_0506_0708)
        try pair.exchangeAll()
        let values = pair.clientEvents.compactMap {
            if case .pingAcknowledged(let value) = $0.event { value } else { nil }
        }
        #expect(values == [0x0102_0304_0506_0708])
    }

    @Test func `pings are left unanswered if the owner wants it`() throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        func answers(to value: UInt64) throws -> [UInt64] {
            pair.clientEvents = []
            try pair.client.ping(value)
            try pair.exchangeAll()
            return pair.clientEvents.compactMap {
                if case .pingAcknowledged(let value) = $0.event { value } else { nil }
            }
        }
        pair.server.answersPings = false
        #expect(try answers(to: 1) == [])
        pair.server.answersPings = true
        #expect(try answers(to: 2) == [2], "and the first stays unanswered")
    }

    private static let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]

    @Test(arguments: [150, 900]) func `pings in a burst are all answered`(count: Int) throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        let pings = Array(repeating: Self.ping, count: count).flatMap { $0 }
        try pings.withUnsafeBytes { try pair.client.receive($0) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 1)
        defer { buffer.deallocate() }
        #expect(try pair.client.fill(buffer) == pings.count)
    }

    @Test func `too many pings end the client too`() throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        let pings = Array(repeating: Self.ping, count: 1_100).flatMap { $0 }
        #expect(throws: HTTP2Error.flooded) { try pings.withUnsafeBytes { try pair.client.receive($0) } }
    }

    @Test func `too many pings end the session`() throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        let pings = Array(repeating: Self.ping, count: 1_000).flatMap { $0 }
        #expect(throws: HTTP2Error.flooded) { try pings.withUnsafeBytes { try pair.server.receive($0) } }
    }

    @Test func `settings by number reach the client`() throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        pair.clientEvents = []
        try pair.server.update(settings: [(3, 7), (4, 1), (0xf0f0, 9)])
        try pair.exchangeAll()
        let streams = pair.clientEvents.compactMap { event -> Int? in
            if case .settings(let settings) = event.event { settings.maxConcurrentStreams } else { nil }
        }
        #expect(streams == [7])
        #expect(throws: HTTP2Error.self) { try pair.server.update(settings: [(4, .max)]) }
    }

    @Test func `a header list that is too long resets its stream`() throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        let headers = try PreparedHeaders(
            authority: "example",
            fields: [HeaderField("x", String(repeating: "y", count: 9000))]
        )
        let path = Array("/".utf8)
        _ = try path.withUnsafeBytes { try pair.client.submit(headers: headers, path: $0, body: nil, tag: 1) }
        try pair.exchangeAll()
        #expect(pair.ends[1]?.errorCode == .internalError)
        #expect(pair.server.openStreams == 0)
    }
}
