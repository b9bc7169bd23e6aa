import Testing

@testable import CarillonHTTP2
@testable import CarillonHTTP2Server

/// The fields of requests, which nghttp2 does not get: the server half checks them and the frames that they come in.
struct RequestHeadersTests {
    private struct Frame: Equatable {
        var type: UInt8
        var flags: UInt8
        var stream: UInt32
        var payload: [UInt8]
    }

    /// A server, and a client whose bytes are written by hand.
    private final class Server {
        let session: HTTP2ServerSession
        private(set) var requests: [Int32] = []
        private(set) var bodies: [Int] = []
        private(set) var closed: [Int32] = []

        init() throws {
            session = try HTTP2ServerSession()
            try receive(
                Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(type: 0x4, flags: 0, stream: 0, payload: [])
                    + frame(type: 0x4, flags: 0x1, stream: 0, payload: []))
            _ = try sent()
        }

        func receive(_ bytes: [UInt8]) throws {
            try bytes.withUnsafeBytes { try session.receive($0) }
            drain()
        }

        private func drain() {
            session.drainEvents { event in
                switch event {
                case .request(let request):
                    requests.append(request.stream)
                    bodies.append(request.bodyLength)
                case .streamClosed(let stream, _): closed.append(stream)
                default: break
                }
            }
        }

        /// Returns all frames that the server sends, except SETTINGS and WINDOW_UPDATE.
        func sent() throws -> [Frame] {
            var all: [UInt8] = []
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)
            defer { room.deallocate() }
            while case let count = try session.fill(room), count > 0 { all += room[..<count] }
            drain()
            var frames: [Frame] = []
            var rest = all[...]
            while rest.count >= 9 {
                let head = Array(rest.prefix(9))
                let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
                let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                frames.append(
                    Frame(
                        type: head[3], flags: head[4], stream: stream, payload: Array(rest.dropFirst(9).prefix(length)))
                )
                rest = rest.dropFirst(9 + length)
            }
            return frames.filter { $0.type != 0x4 && $0.type != 0x8 }
        }

        /// Returns the code of the reset that the stream got, or of the GOAWAY.
        func verdict() throws -> String {
            let words = try sent().map { frame in
                switch frame.type {
                case 0x3: "reset \(HTTP2ErrorCode(rawValue: UInt32(frame.payload[3])))"
                case 0x7: "goaway \(HTTP2ErrorCode(rawValue: UInt32(frame.payload[7])))"
                default: "frame \(frame.type)"
                }
            }
            return (requests.isEmpty ? words : ["request"] + words).joined(separator: ", ")
        }
    }

    private static let base = [":method: POST", ":scheme: https", ":authority: example", ":path: /3/device/aa"]

    /// Makes fields as literals with their names; a name may begin with a colon.
    private static func block(_ fields: [String]) -> [UInt8] {
        fields.flatMap { field -> [UInt8] in
            let colon = field.dropFirst().firstIndex(of: ":") ?? field.endIndex
            let (name, value) = (Array(field[..<colon].utf8), Array(field[colon...].dropFirst(2).utf8))
            return [0x00, UInt8(name.count)] + name + [UInt8(value.count)] + value
        }
    }

    @Test(arguments: [
        ("the plain one", base), ("a host", [":method: POST", ":scheme: https", ":path: /", "host: example"]),
        ("fields of all sorts", base + ["te: trailers", "apns-id: 1", "x: \u{E9}", "content-length: 0", "empty: "]),
        ("CONNECT", [":method: CONNECT", ":authority: example:443"]),
        ("OPTIONS of everything", [":method: OPTIONS", ":scheme: https", ":authority: example", ":path: *"]),
        ("another scheme", [":method: GET", ":scheme: coap", ":authority: example", ":path: x"]),
        ("the same field twice", base + ["apns-id: 1", "apns-id: 2"]),
    ])
    func requestsAreTaken(_ row: (name: String, fields: [String])) throws {
        let server = try Server()
        try server.receive(frame(type: 0x1, flags: 0x5, stream: 1, payload: Self.block(row.fields)))
        #expect(try server.verdict() == "request")
    }

    /// RFC 9113, sections 8.2, 8.3 and 8.1.1.
    @Test(
        arguments: [
            ("no fields", []), ("no method", Array(base.dropFirst())), ("no path", Array(base.dropLast())),
            ("no scheme", base.filter { !$0.hasPrefix(":scheme") }),
            ("no authority", base.filter { !$0.hasPrefix(":auth") }),
            ("a method twice", base + [":method: POST"]), ("a path twice", base + [":path: /"]),
            ("a scheme twice", base + [":scheme: https"]), ("an authority twice", base + [":authority: example"]),
            ("a host twice", base + ["host: example", "host: example"]),
            ("a pseudo-header too late", base.dropLast() + ["x: y", ":path: /"]),
            ("a pseudo-header after a field with a rule", base.dropLast() + ["te: trailers", ":path: /"]),
            ("a pseudo-header of answers", base + [":status: 200"]), ("an unknown one", base + [":x: y"]),
            ("a colon", base + [":: y"]), ("an empty path", base.dropLast() + [":path: "]),
            ("a relative path", base.dropLast() + [":path: 3/device"]), ("an asterisk", base.dropLast() + [":path: *"]),
            ("an empty method", [":method: "] + base.dropFirst()),
            ("a method in two words", [":method: A B"] + base.dropFirst()),
            ("a space in the path", base.dropLast() + [":path: /a b"]),
            ("CONNECT with a path", [":method: CONNECT", ":authority: example", ":path: /"]),
            ("CONNECT to nowhere", [":method: CONNECT"]),
            ("capitals in a name", base + ["Apns-Topic: x"]), ("a space in a name", base + ["a b: x"]),
            ("no name", base + ["\u{0}: x"]), ("a line end in a value", base + ["x: a\r\nb"]),
            ("a zero in a value", base + ["x: \u{0}"]),
            ("a value that begins with a space", base + ["x:  a"]), ("a value that ends with one", base + ["x: a "]),
            ("connection", base + ["connection: close"]), ("keep-alive", base + ["keep-alive: 5"]),
            ("proxy-connection", base + ["proxy-connection: close"]), ("upgrade", base + ["upgrade: h2c"]),
            ("transfer-encoding", base + ["transfer-encoding: chunked"]), ("te", base + ["te: gzip"]),
            ("content-length that is not a number", base + ["content-length: 1x"]),
            ("an empty one", base + ["content-length: "]),
            ("one beyond all numbers", base + ["content-length: 99999999999999999999"]),
            ("two of them", base + ["content-length: 0", "content-length: 0"]),
            ("content-length without a body", base + ["content-length: 1"]),
        ] as [(String, [String])])
    func malformedRequestsAreReset(_ row: (name: String, fields: [String])) throws {
        let server = try Server()
        try server.receive(frame(type: 0x1, flags: 0x5, stream: 1, payload: Self.block(row.fields)))
        #expect(try server.verdict() == "reset PROTOCOL_ERROR")
        #expect(server.closed == [1])
        // The connection continues.
        try server.receive(frame(type: 0x1, flags: 0x5, stream: 3, payload: Self.block(Self.base)))
        #expect(server.requests == [3])
    }

    /// An invalid field is invalid each time, also when it comes from the table.
    @Test func theTableDoesNotMakeAFieldRight() throws {
        let server = try Server()
        let wrong: [UInt8] = [0x40, 1, 0x61, 1, 0x0A]
        try server.receive(frame(type: 0x1, flags: 0x5, stream: 1, payload: Self.block(Self.base) + wrong))
        #expect(try server.verdict() == "reset PROTOCOL_ERROR")
        try server.receive(frame(type: 0x1, flags: 0x5, stream: 3, payload: Self.block(Self.base) + [0xBE]))
        #expect(try server.verdict() == "reset PROTOCOL_ERROR")
        // Its name with another value is valid.
        try server.receive(frame(type: 0x1, flags: 0x5, stream: 5, payload: Self.block(Self.base) + [0x7E, 1, 0x62]))
        #expect(server.requests == [5])
    }

    @Test(arguments: [
        ("as long as it says", 4, "request"), ("shorter", 3, "reset PROTOCOL_ERROR"),
        ("longer", 5, "reset PROTOCOL_ERROR"),
    ])
    func theBodyIsAsLongAsItSays(_ row: (name: String, length: Int, verdict: String)) throws {
        let server = try Server()
        let body = [UInt8](repeating: 0x7B, count: row.length)
        try server.receive(
            frame(type: 0x1, flags: 0x4, stream: 1, payload: Self.block(Self.base + ["content-length: 4"]))
                + frame(type: 0x0, flags: 0, stream: 1, payload: Array(body.prefix(2)))
                + frame(type: 0x0, flags: 0x1, stream: 1, payload: Array(body.dropFirst(2))))
        #expect(try server.verdict() == row.verdict)
    }

    @Test(
        arguments: [
            ("a field", ["x: y"], UInt8(0x5), "request"), ("none", [], 0x5, "request"),
            ("a pseudo-header", [":path: /"], 0x5, "reset PROTOCOL_ERROR"),
            ("a field that is wrong", ["X: y"], 0x5, "reset PROTOCOL_ERROR"),
            ("not the end", ["x: y"], 0x4, "reset PROTOCOL_ERROR"),
        ] as [(String, [String], UInt8, String)])
    func trailersAreTakenOrReset(_ row: (name: String, fields: [String], flags: UInt8, verdict: String)) throws {
        let server = try Server()
        try server.receive(
            frame(type: 0x1, flags: 0x4, stream: 1, payload: Self.block(Self.base))
                + frame(type: 0x0, flags: 0, stream: 1, payload: [0x7B])
                + frame(type: 0x1, flags: row.flags, stream: 1, payload: Self.block(row.fields)))
        #expect(try server.verdict() == row.verdict)
        #expect(server.bodies == (row.verdict == "request" ? [1] : []))
    }

    /// Frames that contain a block in other ways, whole and in parts of one byte.
    @Test(
        arguments: [
            (
                "in two",
                frame(type: 0x1, flags: 0x1, stream: 1, payload: Array(block(base).prefix(9)))
                    + frame(type: 0x9, flags: 0x4, stream: 1, payload: Array(block(base).dropFirst(9))),
                "request"
            ),
            (
                "in three, one of them empty",
                frame(type: 0x1, flags: 0x1, stream: 1, payload: [])
                    + frame(type: 0x9, flags: 0, stream: 1, payload: block(base))
                    + frame(type: 0x9, flags: 0x4, stream: 1, payload: []), "request"
            ),
            (
                "with padding", frame(type: 0x1, flags: 0xD, stream: 1, payload: [3] + block(base) + [0, 0, 0]),
                "request"
            ),
            (
                "with a priority", frame(type: 0x1, flags: 0x25, stream: 1, payload: [0, 0, 0, 0, 15] + block(base)),
                "request"
            ),
            (
                "with both",
                frame(type: 0x1, flags: 0x2D, stream: 1, payload: [2, 0, 0, 0, 0, 15] + block(base) + [0, 0]), "request"
            ),
            (
                "with a new size of the table",
                frame(type: 0x1, flags: 0x5, stream: 1, payload: [0x20, 0x3F, 0xE1, 0x1F] + block(base)), "request"
            ),
            (
                "with more padding than frame", frame(type: 0x1, flags: 0xD, stream: 1, payload: [200] + block(base)),
                "goaway PROTOCOL_ERROR"
            ),
            (
                "with padding and nothing else", frame(type: 0x1, flags: 0xD, stream: 1, payload: []),
                "goaway PROTOCOL_ERROR"
            ),
            (
                "with half a priority", frame(type: 0x1, flags: 0x25, stream: 1, payload: [0, 0]),
                "goaway FRAME_SIZE_ERROR"
            ),
            (
                "with an index that is none", frame(type: 0x1, flags: 0x5, stream: 1, payload: [0x80]),
                "goaway COMPRESSION_ERROR"
            ),
            (
                "with an index that is none, in two",
                frame(type: 0x1, flags: 0x1, stream: 1, payload: [0x82])
                    + frame(type: 0x9, flags: 0x4, stream: 1, payload: [0xFF, 0x7F]),
                "goaway COMPRESSION_ERROR"
            ),
            (
                "with a size above ours",
                frame(type: 0x1, flags: 0x5, stream: 1, payload: [0x3F, 0xE2, 0x1F] + block(base)),
                "goaway COMPRESSION_ERROR"
            ),
            (
                "with too many sizes",
                frame(type: 0x1, flags: 0x5, stream: 1, payload: [UInt8](repeating: 0x20, count: 17) + block(base)),
                "goaway COMPRESSION_ERROR"
            ),
            (
                "with another frame between",
                frame(type: 0x1, flags: 0x1, stream: 1, payload: block(base))
                    + frame(type: 0x0, flags: 0x1, stream: 1, payload: []),
                "goaway PROTOCOL_ERROR"
            ),
            (
                "of another stream between",
                frame(type: 0x1, flags: 0x1, stream: 1, payload: block(base))
                    + frame(type: 0x9, flags: 0x4, stream: 3, payload: []),
                "goaway PROTOCOL_ERROR"
            ),
            (
                "without a beginning", frame(type: 0x9, flags: 0x4, stream: 1, payload: block(base)),
                "goaway PROTOCOL_ERROR"
            ),
            ("on no stream", frame(type: 0x1, flags: 0x5, stream: 0, payload: block(base)), "goaway PROTOCOL_ERROR"),
            (
                "on a stream of ours", frame(type: 0x1, flags: 0x5, stream: 2, payload: block(base)),
                "goaway PROTOCOL_ERROR"
            ),
            (
                "longer than a frame may be",
                frame(type: 0x1, flags: 0x5, stream: 1, payload: [UInt8](repeating: 0x82, count: 16_385)),
                "goaway FRAME_SIZE_ERROR"
            ),
            (
                "far longer", frame(type: 0x1, flags: 0x5, stream: 1, payload: [UInt8](repeating: 0x82, count: 70_000)),
                "goaway FRAME_SIZE_ERROR"
            ),
            (
                "of too many fields",
                frame(type: 0x1, flags: 0x5, stream: 1, payload: block(base) + [UInt8](repeating: 0x90, count: 100)),
                "reset INTERNAL_ERROR"
            ),
        ] as [(String, [UInt8], String)], [Int.max, 1])
    func headerFramesAreTakenOrReset(_ row: (name: String, bytes: [UInt8], verdict: String), _ pieces: Int) throws {
        let server = try Server()
        for start in stride(from: 0, to: row.bytes.count, by: min(pieces, row.bytes.count)) {
            try server.receive(Array(row.bytes[start..<min(row.bytes.count, start + min(pieces, row.bytes.count))]))
        }
        #expect(try server.verdict() == row.verdict)
    }

    @Test func aBlockWithoutEndEndsTheConnection() throws {
        let server = try Server()
        let piece = [UInt8](repeating: 0x82, count: 16_000)
        try server.receive(frame(type: 0x1, flags: 0x1, stream: 1, payload: piece))
        for _ in 0..<5 { try server.receive(frame(type: 0x9, flags: 0, stream: 1, payload: piece)) }
        #expect(try server.verdict() == "goaway COMPRESSION_ERROR")
    }

    @Test func framesThatContinueWithNothingEndTheConnection() throws {
        let server = try Server()
        try server.receive(frame(type: 0x1, flags: 0x1, stream: 1, payload: []))
        #expect(throws: HTTP2Error.self) {
            for _ in 0..<100 { try server.receive(frame(type: 0x9, flags: 0, stream: 1, payload: [])) }
        }
    }

    /// Frames for a refused stream are read and dropped, also in the same bytes.
    @Test func aRefusedStreamIsNotAnswered() throws {
        let server = try Server()
        try server.receive(
            frame(type: 0x1, flags: 0x4, stream: 1, payload: Self.block(["x: y"]))
                + frame(type: 0x0, flags: 0x1, stream: 1, payload: [0x7B])
                + frame(type: 0x1, flags: 0x5, stream: 3, payload: Self.block(Self.base)))
        #expect(server.requests == [3])
        #expect(throws: HTTP2Error.unknownStream) {
            try server.session.respond(to: 1, with: PreparedResponse(status: 200))
        }
        #expect(try server.sent() == [Frame(type: 0x3, flags: 0, stream: 1, payload: [0, 0, 0, 1])])
    }

    @Test func anAnswerIsAFewBytes() throws {
        let server = try Server()
        try server.receive(
            frame(type: 0x1, flags: 0x5, stream: 1, payload: Self.block(Self.base))
                + frame(type: 0x1, flags: 0x5, stream: 3, payload: Self.block(Self.base)))
        try Array("12-34".utf8).withUnsafeBytes {
            try server.session.respond(to: 1, with: PreparedResponse(status: 200), requestID: $0)
        }
        let fields = [HeaderField("retry-after", "30")]
        try server.session.respond(to: 3, with: PreparedResponse(status: 429, fields: fields))
        let id = [0x10, 7] + Array("apns-id".utf8) + [5] + Array("12-34".utf8)
        let delay = [0x18, 3] + Array("429".utf8) + [0x10, 11] + Array("retry-after".utf8) + [2] + Array("30".utf8)
        #expect(
            try server.sent() == [
                Frame(type: 0x1, flags: 0x5, stream: 1, payload: [0x88] + id),
                Frame(type: 0x1, flags: 0x5, stream: 3, payload: delay),
            ])
    }

    /// The block after a client has made its table smaller acknowledges that.
    @Test func aNewSizeOfTheClientsTableIsConfirmed() throws {
        let server = try Server()
        try server.receive(
            frame(type: 0x4, flags: 0, stream: 0, payload: [0, 1, 0, 0, 0, 0])
                + frame(type: 0x1, flags: 0x5, stream: 1, payload: Self.block(Self.base)))
        try server.session.respond(to: 1, with: PreparedResponse(status: 200))
        try server.receive(frame(type: 0x1, flags: 0x5, stream: 3, payload: Self.block(Self.base)))
        try server.session.respond(to: 3, with: PreparedResponse(status: 200))
        #expect(try server.sent().map(\.payload) == [[0x20, 0x88], [0x88]])
    }

    @Test func anAnswerThatFitsNoFrameIsRefused() {
        #expect(throws: HTTP2Error.self) {
            try PreparedResponse(status: 200, fields: [HeaderField("x", String(repeating: "y", count: 16_000))])
        }
        #expect(throws: HTTP2Error.invalidHeader("a b")) {
            try PreparedResponse(status: 200, fields: [HeaderField("a b", "y")])
        }
    }
}

/// Makes a frame by hand.
private func frame(type: UInt8, flags: UInt8, stream: UInt8, payload: [UInt8]) -> [UInt8] {
    let count = payload.count
    return [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags, 0, 0, 0, stream] + payload
}
