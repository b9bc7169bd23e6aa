import Testing

@testable import CarillonHTTP2
@testable import CarillonHTTP2Server

/// Pushes between the client's session and the server half, in memory: what arrives at the server, and what the client
/// learns of the answer.
struct HTTP2ClientSessionTests {
    @Test func `a push crosses whole`() throws {
        let pair = try HTTP2Pair()
        var seen: [String?] = []
        pair.onRequest = { server, request in
            seen = [":method", ":path", "authorization", "apns-topic", "apns-id"].map(request.text)
            seen.append(String(decoding: request.body, as: UTF8.self))
            try server.respond(
                to: request.stream,
                with: PreparedResponse(status: 200),
                requestID: request.bytes("apns-id")
            )
        }
        try pair.exchangeAll()
        try pair.push("aabb", tag: 7, id: "11111111-2222-3333-4444-555555555555")
        try pair.exchangeAll()

        #expect(
            seen == [
                "POST", "/3/device/aabb", "bearer abc", "com.example.app", "11111111-2222-3333-4444-555555555555",
                #"{"aps":{"alert":"Hello"}}"#,
            ]
        )
        let end = try #require(pair.ends[7])
        #expect(end.status == 200)
        #expect(end.isComplete)
        #expect(end.wasSent)
        #expect(end.errorCode == .noError)
        #expect(pair.answer(7) == "")
        #expect(pair.client.openStreams == 0)
    }

    @Test func `one stream is used until settings announce more`() throws {
        let pair = try HTTP2Pair()
        #expect(pair.client.availableStreams == 1)
        try pair.exchangeAll()
        #expect(pair.client.availableStreams == 1000)
        try pair.server.update(maxConcurrentStreams: 3)
        try pair.exchangeAll()
        try pair.push("01", tag: 1)
        #expect(pair.client.availableStreams == 2)
    }

    @Test func `a thousand streams are open at a time`() throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        var held: [Int32] = []
        pair.onRequest = { _, request in held.append(request.stream) }
        for tag in 0..<1000 { try pair.push("\(tag)", tag: UInt64(tag)) }
        try pair.exchangeAll()
        #expect(held.count == 1000)
        #expect(pair.client.availableStreams == 0)

        let answer = try PreparedResponse(status: 200)
        for stream in held.reversed() { try pair.server.respond(to: stream, with: answer) }
        try pair.exchangeAll()
        #expect(pair.ends.count == 1000)
        #expect(pair.ends.values.allSatisfy { $0.status == 200 })
        #expect(pair.ends.values.allSatisfy { $0.isComplete })
        #expect(pair.client.openStreams == 0)
    }

    @Test func `ten thousand requests follow one another`() throws {
        let pair = try HTTP2Pair()
        try pair.exchangeAll()
        for tag in 0..<10_000 as Range<UInt64> {
            try pair.push("00ff", tag: tag)
            try pair.exchangeAll()
        }
        #expect(pair.ends.count == 10_000)
        #expect(pair.server.openStreams == 0)
    }

    @Test func `an error body arrives over several frames`() throws {
        var settings = ClientSettings()
        settings.initialWindowSize = 10
        let pair = try HTTP2Pair(client: settings)
        let reason = PreparedBody(#"{"reason":"Unregistered","timestamp":1700000000000}"#.utf8)
        pair.onRequest = { server, request in
            let answer = try PreparedResponse(status: 410, fields: [HeaderField("retry-after", "30")])
            try server.respond(to: request.stream, with: answer, body: reason)
        }
        try pair.exchangeAll()
        try pair.push("aa", tag: 1)
        try pair.exchangeAll()
        #expect(pair.answer(1) == #"{"reason":"Unregistered","timestamp":1700000000000}"#)
        #expect(pair.ends[1]?.status == 410)
        #expect(pair.ends[1]?.retryAfter == .seconds(30))
    }

    @Test func `a long answer is cut`() throws {
        let pair = try HTTP2Pair()
        pair.onRequest = { server, request in
            let body = PreparedBody([UInt8](repeating: 120, count: 200_000))
            try server.respond(to: request.stream, with: PreparedResponse(status: 500), body: body)
        }
        try pair.exchangeAll()
        try pair.push("aa", tag: 1)
        try pair.exchangeAll()
        #expect(pair.answer(1)?.utf8.count == 16_384)
        #expect(pair.ends[1]?.isBodyCut == true)
        #expect(pair.ends[1]?.isComplete == true)
    }

    @Test func `headers that HTTP forbids are refused`() {
        for (name, value) in [
            ("Apns-Topic", "a"), ("a b", "a"), (":path", "/"), ("x", "a\r\nb"), ("", "a"), ("x", " a"), ("x", "a "),
            ("x", "a\t"),
        ] {
            #expect(throws: HTTP2Error.invalidHeader(name)) {
                try PreparedHeaders(authority: "example", fields: [HeaderField(name, value)])
            }
        }
        #expect(throws: HTTP2Error.tooManyHeaders(40)) {
            try PreparedHeaders(
                authority: "example",
                fields: .init(repeating: HeaderField("a", "b"), count: 40)
            )
        }
    }

    @Test func `a path that fits no slot is refused and takes none`() throws {
        let pair = try HTTP2Pair()
        #expect(throws: HTTP2Error.requestTooLong(1110)) {
            try pair.push(String(repeating: "a", count: 1100), tag: 1)
        }
        #expect(pair.client.openStreams == 0)
    }

    /// An endpoint of Web Push may have 1,024 bytes. Pushes to those of more than 640 failed once.
    @Test func `the longest path arrives`() throws {
        let pair = try HTTP2Pair()
        var lengths: [Int] = []
        pair.onRequest = { server, request in
            request.forEachHeader { name, value in
                if name.elementsEqual(":path".utf8) { lengths.append(value.count) }
            }
            try server.respond(to: request.stream, with: PreparedResponse(status: 200))
        }
        try pair.exchangeAll()
        try pair.push(String(repeating: "a", count: 1014), tag: 1)
        try pair.exchangeAll()
        #expect(lengths == [1024])
        #expect(pair.ends[1]?.isComplete == true)
    }

    @Test func `headers and body live until they are sent`() throws {
        let pair = try HTTP2Pair()
        var paths: Set<String?> = []
        pair.onRequest = { server, request in
            paths.insert(request.text(":path"))
            try server.respond(to: request.stream, with: PreparedResponse(status: 200))
        }
        try pair.exchangeAll()
        for tag in 0..<50 as Range<UInt64> {
            // Nothing but the session holds the body and the headers here.
            try pair.push("\(tag)", tag: tag, body: PreparedBody([UInt8](repeating: 1, count: 3000)))
        }
        try pair.exchangeAll()
        #expect(paths == Set((0..<50).map { "/3/device/\($0)" }))
        #expect(pair.ends.count == 50)
    }

    /// Sizes of the shared part and of the stream's own end: within a frame, over the edge of a frame, and over the
    /// edge of the peer's window.
    @Test(arguments: [
        (shared: 0, own: 5), (shared: 1, own: 1), (shared: 16_383, own: 1), (shared: 16_384, own: 1),
        (shared: 16_380, own: 30), (shared: 16_000, own: 8_192), (shared: 60_000, own: 8_000),
    ])
    func `a body is a shared part and an end of its own`(_ sizes: (shared: Int, own: Int)) throws {
        var settings = HTTP2ServerSettings()
        settings.maximumBodyBytes = 100_000
        let pair = try HTTP2Pair(server: settings)
        var bodies: [[UInt8]] = []
        pair.onRequest = { server, request in
            bodies.append(Array(request.body))
            try server.respond(to: request.stream, with: PreparedResponse(status: 200))
        }
        try pair.exchangeAll()
        let shared = PreparedBody((0..<sizes.shared).map { UInt8(truncatingIfNeeded: $0 % 251) })
        for tag in 1...3 as ClosedRange<UInt8> {
            let own = [UInt8](repeating: tag, count: sizes.own)
            try Array("/x".utf8).withUnsafeBytes { path in
                _ = try own.withUnsafeBytes {
                    try pair.client.submit(headers: .sample, path: path, body: shared, bodyEnd: $0, tag: UInt64(tag))
                }
            }
            try pair.exchangeAll()
            #expect(bodies.last == Array(shared.bytes) + own)
        }
        #expect(pair.ends.values.map(\.status) == [200, 200, 200])
    }

    @Test func `an end of a body that is too long is refused and takes no slot`() throws {
        let pair = try HTTP2Pair()
        let own = [UInt8](repeating: 0, count: 8_193)
        #expect(throws: HTTP2Error.requestTooLong(8_193)) {
            try own.withUnsafeBytes { own in
                _ = try Array("/x".utf8).withUnsafeBytes {
                    try pair.client.submit(headers: .sample, path: $0, body: nil, bodyEnd: own, tag: 1)
                }
            }
        }
        #expect(pair.client.openStreams == 0)
    }
}
