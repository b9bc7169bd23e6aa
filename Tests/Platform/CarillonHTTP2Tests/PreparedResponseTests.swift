import Testing

@testable import CarillonHTTP2
@testable import CarillonHTTP2Server

/// The bytes of answers that are prepared once and sent often.
struct PreparedResponseTests {
    @Test func `the headers of an answer take few bytes`() throws {
        let server = try FrameServer()
        try server.receive(
            Frame.headers(Frame.block(Frame.postFields))
                + Frame.headers(Frame.block(Frame.postFields), stream: 3))
        try Array("12-34".utf8).withUnsafeBytes {
            try server.session.respond(to: 1, with: PreparedResponse(status: 200), requestID: $0)
        }
        let fields = [HeaderField("retry-after", "30")]
        try server.session.respond(to: 3, with: PreparedResponse(status: 429, fields: fields))
        let id = [0x10, 7] + Array("apns-id".utf8) + [5] + Array("12-34".utf8)
        let delay = [0x18, 3] + Array("429".utf8) + [0x10, 11] + Array("retry-after".utf8) + [2] + Array("30".utf8)
        #expect(
            try server.sent() == [
                Frame(type: .headers, flags: [.endStream, .endHeaders], stream: 1, payload: [0x88] + id),
                Frame(type: .headers, flags: [.endStream, .endHeaders], stream: 3, payload: delay),
            ])
    }

    /// The block after a client has made its table smaller acknowledges that.
    @Test func `a new size of the client's table is confirmed`() throws {
        let server = try FrameServer()
        try server.receive(
            Frame.settings([0, 1, 0, 0, 0, 0])
                + Frame.headers(Frame.block(Frame.postFields)))
        try server.session.respond(to: 1, with: PreparedResponse(status: 200))
        try server.receive(Frame.headers(Frame.block(Frame.postFields), stream: 3))
        try server.session.respond(to: 3, with: PreparedResponse(status: 200))
        #expect(try server.sent().map(\.payload) == [[0x20, 0x88], [0x88]])
    }

    @Test func `an answer that fits no frame is refused`() {
        #expect(throws: HTTP2Error.self) {
            try PreparedResponse(status: 200, fields: [HeaderField("x", String(repeating: "y", count: 16_000))])
        }
        #expect(throws: HTTP2Error.invalidHeader("a b")) {
            try PreparedResponse(status: 200, fields: [HeaderField("a b", "y")])
        }
    }
}
