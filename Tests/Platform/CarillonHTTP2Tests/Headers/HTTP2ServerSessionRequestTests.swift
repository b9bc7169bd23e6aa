import Testing

@testable import CarillonHTTP2
@testable import CarillonHTTP2Server

/// The fields of requests, which nghttp2 does not get: the server half checks them and the frames that they come in.
struct HTTP2ServerSessionRequestTests {
    private static let base = Frame.postFields

    /// The fields of a request or of its trailers, by a name.
    struct FieldList: CustomTestStringConvertible {
        let testDescription: String
        let fields: [String]

        init(_ name: String, fields: [String]) { (testDescription, self.fields) = (name, fields) }
    }

    @Test(arguments: [
        FieldList("the usual fields", fields: base),
        FieldList("a host", fields: [":method: POST", ":scheme: https", ":path: /", "host: example"]),
        FieldList(
            "fields of all sorts",
            fields: base + ["te: trailers", "apns-id: 1", "x: \u{E9}", "content-length: 0", "empty: "]),
        FieldList("CONNECT", fields: [":method: CONNECT", ":authority: example:443"]),
        FieldList(
            "OPTIONS of everything", fields: [":method: OPTIONS", ":scheme: https", ":authority: example", ":path: *"]),
        FieldList("another scheme", fields: [":method: GET", ":scheme: coap", ":authority: example", ":path: x"]),
        FieldList("the same field twice", fields: base + ["apns-id: 1", "apns-id: 2"]),
    ])
    func `a valid request is accepted`(_ request: FieldList) throws {
        let server = try FrameServer()
        try server.receive(Frame.headers(Frame.block(request.fields)))
        #expect(try server.verdict() == "request")
    }

    /// RFC 9113, sections 8.2, 8.3 and 8.1.1.
    @Test(
        arguments: [
            FieldList("no fields", fields: []),
            FieldList("no method", fields: Array(base.dropFirst())),
            FieldList("no path", fields: Array(base.dropLast())),
            FieldList("no scheme", fields: base.filter { !$0.hasPrefix(":scheme") }),
            FieldList("no authority", fields: base.filter { !$0.hasPrefix(":auth") }),
            FieldList("a method twice", fields: base + [":method: POST"]),
            FieldList("a path twice", fields: base + [":path: /"]),
            FieldList("a scheme twice", fields: base + [":scheme: https"]),
            FieldList("an authority twice", fields: base + [":authority: example"]),
            FieldList("a host twice", fields: base + ["host: example", "host: example"]),
            FieldList("a pseudo-header too late", fields: base.dropLast() + ["x: y", ":path: /"]),
            FieldList(
                "a pseudo-header after a field with a rule", fields: base.dropLast() + ["te: trailers", ":path: /"]),
            FieldList("a pseudo-header of answers", fields: base + [":status: 200"]),
            FieldList("an unknown pseudo-header", fields: base + [":x: y"]),
            FieldList("a colon", fields: base + [":: y"]),
            FieldList("an empty path", fields: base.dropLast() + [":path: "]),
            FieldList("a relative path", fields: base.dropLast() + [":path: 3/device"]),
            FieldList("an asterisk", fields: base.dropLast() + [":path: *"]),
            FieldList("an empty method", fields: [":method: "] + base.dropFirst()),
            FieldList("a method in two words", fields: [":method: A B"] + base.dropFirst()),
            FieldList("a space in the path", fields: base.dropLast() + [":path: /a b"]),
            FieldList("CONNECT with a path", fields: [":method: CONNECT", ":authority: example", ":path: /"]),
            FieldList("CONNECT to nowhere", fields: [":method: CONNECT"]),
            FieldList("capitals in a name", fields: base + ["Apns-Topic: x"]),
            FieldList("a space in a name", fields: base + ["a b: x"]),
            FieldList("no name", fields: base + ["\u{0}: x"]),
            FieldList("a line end in a value", fields: base + ["x: a\r\nb"]),
            FieldList("a zero in a value", fields: base + ["x: \u{0}"]),
            FieldList("a value that begins with a space", fields: base + ["x:  a"]),
            FieldList("a value that ends with a space", fields: base + ["x: a "]),
            FieldList("connection", fields: base + ["connection: close"]),
            FieldList("keep-alive", fields: base + ["keep-alive: 5"]),
            FieldList("proxy-connection", fields: base + ["proxy-connection: close"]),
            FieldList("upgrade", fields: base + ["upgrade: h2c"]),
            FieldList("transfer-encoding", fields: base + ["transfer-encoding: chunked"]),
            FieldList("te", fields: base + ["te: gzip"]),
            FieldList("content-length that is not a number", fields: base + ["content-length: 1x"]),
            FieldList("an empty content-length", fields: base + ["content-length: "]),
            FieldList("a content-length beyond all numbers", fields: base + ["content-length: 99999999999999999999"]),
            FieldList("content-length twice", fields: base + ["content-length: 0", "content-length: 0"]),
            FieldList("content-length without a body", fields: base + ["content-length: 1"]),
        ])
    func `a malformed request is reset`(_ request: FieldList) throws {
        let server = try FrameServer()
        try server.receive(Frame.headers(Frame.block(request.fields)))
        #expect(try server.verdict() == "reset PROTOCOL_ERROR")
        #expect(server.closed == [1])
        // The connection continues.
        try server.receive(Frame.headers(Frame.block(Self.base), stream: 3))
        #expect(server.requests == [3])
    }

    /// An invalid field is invalid each time, also when it comes from the table.
    @Test func `a bad field from the table is reset`() throws {
        let server = try FrameServer()
        let wrong: [UInt8] = [0x40, 1, 0x61, 1, 0x0A]
        try server.receive(Frame.headers(Frame.block(Self.base) + wrong))
        #expect(try server.verdict() == "reset PROTOCOL_ERROR")
        try server.receive(Frame.headers(Frame.block(Self.base) + [0xBE], stream: 3))
        #expect(try server.verdict() == "reset PROTOCOL_ERROR")
        // Its name with another value is valid.
        try server.receive(Frame.headers(Frame.block(Self.base) + [0x7E, 1, 0x62], stream: 5))
        #expect(server.requests == [5])
    }

    /// The bytes of a body whose `content-length` is 4, and what becomes of the request.
    struct Body: CustomTestStringConvertible {
        let bytes: Int
        let verdict: String

        var testDescription: String { "\(bytes) bytes" }
    }

    @Test(arguments: [
        Body(bytes: 4, verdict: "request"),
        Body(bytes: 3, verdict: "reset PROTOCOL_ERROR"),
        Body(bytes: 5, verdict: "reset PROTOCOL_ERROR"),
    ])
    func `a body must be as long as content length`(_ sent: Body) throws {
        let server = try FrameServer()
        let body = [UInt8](repeating: 0x7B, count: sent.bytes)
        try server.receive(
            Frame.headers(Frame.block(Self.base + ["content-length: 4"]), flags: .endHeaders)
                + Frame.data(Array(body.prefix(2)), flags: [])
                + Frame.data(Array(body.dropFirst(2))))
        #expect(try server.verdict() == sent.verdict)
    }

    /// The fields after a body, and what becomes of the request.
    struct Trailers: CustomTestStringConvertible {
        let testDescription: String
        let fields: [String]
        let endsStream: Bool
        let verdict: String

        init(_ name: String, fields: [String], endsStream: Bool = true, verdict: String) {
            testDescription = name
            self.fields = fields
            self.endsStream = endsStream
            self.verdict = verdict
        }
    }

    @Test(
        arguments: [
            Trailers("a field", fields: ["x: y"], verdict: "request"),
            Trailers("none", fields: [], verdict: "request"),
            Trailers("a pseudo-header", fields: [":path: /"], verdict: "reset PROTOCOL_ERROR"),
            Trailers("a field that is wrong", fields: ["X: y"], verdict: "reset PROTOCOL_ERROR"),
            Trailers("not the end", fields: ["x: y"], endsStream: false, verdict: "reset PROTOCOL_ERROR"),
        ])
    func `trailers are accepted or reset`(_ trailers: Trailers) throws {
        let server = try FrameServer()
        try server.receive(
            Frame.headers(Frame.block(Self.base), flags: .endHeaders)
                + Frame.data([0x7B], flags: [])
                + Frame.headers(Frame.block(trailers.fields), flags: trailers.endsStream ? .whole : .endHeaders))
        #expect(try server.verdict() == trailers.verdict)
        #expect(server.bodies == (trailers.verdict == "request" ? [1] : []))
    }

    /// The frames of a header block, and what becomes of the request.
    struct HeaderBlock: CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let verdict: String

        init(_ name: String, bytes: [UInt8], verdict: String) {
            testDescription = name
            self.bytes = bytes
            self.verdict = verdict
        }
    }

    /// Each block comes whole, and in parts of one byte.
    @Test(
        arguments: [
            HeaderBlock(
                "in two",
                bytes: Frame.headers(Array(Frame.block(base).prefix(9)), flags: .endStream)
                    + Frame.continuation(Array(Frame.block(base).dropFirst(9))),
                verdict: "request"),
            HeaderBlock(
                "in three, one of them empty",
                bytes: Frame.headers([], flags: .endStream)
                    + Frame.continuation(Frame.block(base), flags: [])
                    + Frame.continuation([]), verdict: "request"),
            HeaderBlock(
                "with padding", bytes: Frame.headers([3] + Frame.block(base) + [0, 0, 0], flags: [.whole, .padded]),
                verdict: "request"),
            HeaderBlock(
                "with a priority",
                bytes: Frame.headers([0, 0, 0, 0, 15] + Frame.block(base), flags: [.whole, .priority]),
                verdict: "request"),
            HeaderBlock(
                "with both",
                bytes: Frame.headers(
                    [2, 0, 0, 0, 0, 15] + Frame.block(base) + [0, 0], flags: [.whole, .padded, .priority]),
                verdict: "request"),
            HeaderBlock(
                "with a new size of the table", bytes: Frame.headers([0x20, 0x3F, 0xE1, 0x1F] + Frame.block(base)),
                verdict: "request"),
            HeaderBlock(
                "with more padding than frame",
                bytes: Frame.headers([200] + Frame.block(base), flags: [.whole, .padded]),
                verdict: "goaway PROTOCOL_ERROR"),
            HeaderBlock(
                "with padding and nothing else", bytes: Frame.headers([], flags: [.whole, .padded]),
                verdict: "goaway PROTOCOL_ERROR"),
            HeaderBlock(
                "with half a priority", bytes: Frame.headers([0, 0], flags: [.whole, .priority]),
                verdict: "goaway FRAME_SIZE_ERROR"),
            HeaderBlock(
                "with an index that is none", bytes: Frame.headers([0x80]),
                verdict: "goaway COMPRESSION_ERROR"),
            HeaderBlock(
                "with an index that is none, in two",
                bytes: Frame.headers([0x82], flags: .endStream)
                    + Frame.continuation([0xFF, 0x7F]),
                verdict: "goaway COMPRESSION_ERROR"),
            HeaderBlock(
                "with a size above ours", bytes: Frame.headers([0x3F, 0xE2, 0x1F] + Frame.block(base)),
                verdict: "goaway COMPRESSION_ERROR"),
            HeaderBlock(
                "with too many sizes", bytes: Frame.headers([UInt8](repeating: 0x20, count: 17) + Frame.block(base)),
                verdict: "goaway COMPRESSION_ERROR"),
            HeaderBlock(
                "with another frame between",
                bytes: Frame.headers(Frame.block(base), flags: .endStream)
                    + Frame.data([]),
                verdict: "goaway PROTOCOL_ERROR"),
            HeaderBlock(
                "of another stream between",
                bytes: Frame.headers(Frame.block(base), flags: .endStream)
                    + Frame.continuation([], stream: 3),
                verdict: "goaway PROTOCOL_ERROR"),
            HeaderBlock(
                "without a beginning", bytes: Frame.continuation(Frame.block(base)),
                verdict: "goaway PROTOCOL_ERROR"),
            HeaderBlock(
                "on no stream", bytes: Frame.headers(Frame.block(base), stream: 0), verdict: "goaway PROTOCOL_ERROR"),
            HeaderBlock(
                "on a stream of ours", bytes: Frame.headers(Frame.block(base), stream: 2),
                verdict: "goaway PROTOCOL_ERROR"),
            HeaderBlock(
                "longer than a frame may be", bytes: Frame.headers([UInt8](repeating: 0x82, count: 16_385)),
                verdict: "goaway FRAME_SIZE_ERROR"),
            HeaderBlock(
                "far longer", bytes: Frame.headers([UInt8](repeating: 0x82, count: 70_000)),
                verdict: "goaway FRAME_SIZE_ERROR"),
            HeaderBlock(
                "of too many fields", bytes: Frame.headers(Frame.block(base) + [UInt8](repeating: 0x90, count: 100)),
                verdict: "reset INTERNAL_ERROR"),
        ], [Int.max, 1])
    func `each header frame has its verdict`(_ block: HeaderBlock, partBytes: Int) throws {
        let server = try FrameServer()
        let count = block.bytes.count
        let part = min(partBytes, count)
        for start in stride(from: 0, to: count, by: part) {
            try server.receive(Array(block.bytes[start..<min(count, start + part)]))
        }
        #expect(try server.verdict() == block.verdict)
    }

    @Test func `a block without end ends the connection`() throws {
        let server = try FrameServer()
        let piece = [UInt8](repeating: 0x82, count: 16_000)
        try server.receive(Frame.headers(piece, flags: .endStream))
        for _ in 0..<5 { try server.receive(Frame.continuation(piece, flags: [])) }
        #expect(try server.verdict() == "goaway COMPRESSION_ERROR")
    }

    @Test func `empty continuation frames end the connection`() throws {
        let server = try FrameServer()
        try server.receive(Frame.headers([], flags: .endStream))
        #expect(throws: HTTP2Error.self) {
            for _ in 0..<100 { try server.receive(Frame.continuation([], flags: [])) }
        }
    }

    /// Frames for a refused stream are read and dropped, also in the same bytes.
    @Test func `a refused stream is not answered`() throws {
        let server = try FrameServer()
        try server.receive(
            Frame.headers(Frame.block(["x: y"]), flags: .endHeaders)
                + Frame.data([0x7B])
                + Frame.headers(Frame.block(Self.base), stream: 3))
        #expect(server.requests == [3])
        #expect(throws: HTTP2Error.unknownStream) {
            try server.session.respond(to: 1, with: PreparedResponse(status: 200))
        }
        #expect(try server.sent() == [Frame(type: .reset, flags: [], stream: 1, payload: [0, 0, 0, 1])])
    }
}
