import Testing

@testable import CarillonHTTP2
@testable import CarillonHTTP2Server

/// Answers that are cut off or break HTTP, and the session's report of them.
struct HTTP2ClientSessionAnswerTests {
    /// Makes a pair whose client has sent one request, on stream 1, with the tag 1.
    private func waiting() throws -> HTTP2Pair {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        pair.onRequest = { _, _ in }
        try pair.push("aa", tag: 1)
        try pair.clientToServer()
        return pair
    }

    /// Lets the client receive the bytes and write its reply.
    private func receive(_ bytes: [UInt8], _ pair: HTTP2Pair) throws {
        defer {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)
            while let count = try? pair.client.fill(buffer), count > 0 {}
            buffer.deallocate()
            pair.collect()
        }
        try bytes.withUnsafeBytes { try pair.client.receive($0) }
    }

    @Test(
        arguments: [
            // Indexed fields of the static table (RFC 7541, appendix A): 8 is `:status` 200.
            ("two statuses", [0x88, 0x88]), ("a pseudo-header of requests", [0x88, 0x84]),
            ("capitals", [0x88, 0x00, 1, 0x41, 1, 0x62]),
            ("a field of HTTP/1", [0x88, 0x00, 10] + Array("connection".utf8) + [1, 0x62]),
        ] as [(String, [UInt8])])
    func `a malformed answer is marked`(_ name: String, block: [UInt8]) throws {
        let pair = try waiting()
        try receive(Frame.headers(block), pair)
        let end = try #require(pair.ends[1])
        #expect(end.isMalformed)
        #expect(!end.isComplete)
        #expect(end.status == 200)
        #expect(pair.client.violation != nil)
    }

    @Test func `a whole answer and a reset are not malformed`() throws {
        let pair = try waiting()
        try receive(Frame.headers([0x88]), pair)
        #expect(pair.ends[1]?.isMalformed == false)
        #expect(pair.ends[1]?.isComplete == true)

        let reset = try waiting()
        let noEnd = Frame.headers([0x88], flags: .endHeaders)
        try receive(noEnd + Frame.bytes(type: .reset, flags: [], stream: 1, payload: [0, 0, 0, 1]), reset)
        let end = try #require(reset.ends[1])
        #expect(!end.isMalformed)
        #expect(!end.isComplete)
        #expect(end.status == 200)
        #expect(end.errorCode == .protocolError)
    }

    @Test func `the status of an unfinished answer is known when the connection ends`() throws {
        let pair = try waiting()
        try receive(Frame.headers([0x88], flags: .endHeaders), pair)
        pair.client.close()
        var statuses: [UInt64: UInt16] = [:]
        pair.client.forEachOpenStream { tag, _, _, status in statuses[tag] = status }
        #expect(statuses == [1: 200])
    }

    @Test func `the session says what the peer did wrong`() throws {
        let pair = try waiting()
        #expect(pair.client.violation == nil)
        let settings = (0..<33).flatMap { _ in [0, 3, 0, 0, 0, 100] as [UInt8] }
        #expect(throws: HTTP2Error.protocolViolation) { try receive(Frame.settings(settings), pair) }
        #expect(pair.client.violation == "SETTINGS: too many setting entries")
    }

    @Test func `a quoted violation is short and printable`() throws {
        let pair = try waiting()
        let value = [UInt8](repeating: 1, count: 100)
        try receive(Frame.headers([0x88, 0x00, 1, 0x62, 100] + value, flags: .endHeaders), pair)
        let text = try #require(pair.client.violation)
        #expect(text.utf8.count <= 200)
        #expect(text.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    }

    @Test func `the bodies of all streams have a limit together`() throws {
        var settings = ClientSettings()
        settings.maximumTotalBodyBytes = 20_000
        let pair = try HTTP2Pair(client: settings)
        try pair.exchangeAll()
        pair.onRequest = { _, _ in }
        for tag in 1...3 as ClosedRange<UInt64> { try pair.push("aa", tag: tag) }
        try pair.clientToServer()
        let part = [UInt8](repeating: 120, count: 12_000)
        func answer(_ streams: [UInt8]) throws {
            try receive(streams.flatMap { Frame.headers([0x8E], flags: .endHeaders, stream: $0) }, pair)
            for stream in streams { try receive(Frame.data(part, flags: [], stream: stream), pair) }
            for stream in streams { try receive(Frame.data([], stream: stream), pair) }
        }
        try answer([1, 3])
        #expect(pair.answer(1)?.utf8.count == 12_000)
        #expect(pair.answer(2)?.utf8.count == 8_000)
        #expect(pair.ends[2]?.isBodyCut == true)
        // What has ended makes room again.
        try answer([5])
        #expect(pair.answer(3)?.utf8.count == 12_000)
    }
}
