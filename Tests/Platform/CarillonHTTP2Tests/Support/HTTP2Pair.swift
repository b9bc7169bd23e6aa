@testable import CarillonHTTP2
@testable import CarillonHTTP2Server

/// A client and a server in one process, connected by two byte queues.
final class HTTP2Pair {
    let client: HTTP2ClientSession
    let server: HTTP2ServerSession
    var clientEvents: [(event: ClientEvent, bytes: [UInt8])] = []
    /// The server's answer to each request.
    var onRequest: (HTTP2ServerSession, Request) throws -> Void = { server, request in
        try server.respond(to: request.stream, with: PreparedResponse(status: 200))
    }
    var serverClosed: [(stream: Int32, code: HTTP2ErrorCode)] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)

    init(client: ClientSettings = ClientSettings(), server: HTTP2ServerSettings = HTTP2ServerSettings()) throws {
        self.client = try HTTP2ClientSession(settings: client)
        self.server = try HTTP2ServerSession(settings: server)
    }

    deinit { buffer.deallocate() }

    /// Moves bytes until neither side has any to send.
    func exchangeAll() throws {
        var moved = true
        while moved {
            moved = try clientToServer()
            moved = try serverToClient() || moved
        }
        collect()
    }

    @discardableResult
    func clientToServer() throws -> Bool {
        var moved = false
        while case let count = try client.fill(buffer), count > 0 {
            moved = true
            try server.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            var failure: (any Error)?
            server.takeEvents { event in
                switch event {
                case .request(let request):
                    do { try onRequest(server, request) } catch { failure = error }
                case .streamClosed(let stream, let code): serverClosed.append((stream, code))
                default: break
                }
            }
            if let failure { throw failure }
        }
        return moved
    }

    @discardableResult
    func serverToClient() throws -> Bool {
        var moved = false
        while case let count = try server.fill(buffer), count > 0 {
            moved = true
            try client.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            collect()
        }
        return moved
    }

    func collect() {
        client.takeEvents { event, bytes in clientEvents.append((event, Array(bytes))) }
    }

    @discardableResult
    func push(_ token: String, tag: UInt64, id: String? = nil, body: PreparedBody? = .sample) throws -> Int32 {
        let path = Array("/3/device/\(token)".utf8)
        let id = id.map { Array($0.utf8) }
        return try path.withUnsafeBytes { path in
            if let id {
                try id.withUnsafeBytes {
                    try client.submit(headers: .sample, path: path, requestID: $0, body: body, tag: tag)
                }
            } else {
                try client.submit(headers: .sample, path: path, body: body, tag: tag)
            }
        }
    }

    /// The streams that have ended on the client, by tag.
    var ends: [UInt64: StreamEnd] {
        var ends: [UInt64: StreamEnd] = [:]
        for case (.streamClosed(let end), _) in clientEvents { ends[end.tag] = end }
        return ends
    }

    /// The first GOAWAY that the client has read.
    var goAway: (lastStreamID: Int32, code: HTTP2ErrorCode, debugText: String)? {
        for case (.goAway(let notice), let bytes) in clientEvents {
            return (notice.lastStreamID, notice.errorCode, String(decoding: bytes, as: UTF8.self))
        }
        return nil
    }

    /// Returns the body of the answer to the request with `tag`.
    func answer(_ tag: UInt64) -> String? {
        for case (.streamClosed(let end), let bytes) in clientEvents where end.tag == tag {
            return String(decoding: bytes, as: UTF8.self)
        }
        return nil
    }
}

extension PreparedBody {
    static let sample = PreparedBody(#"{"aps":{"alert":"Hello"}}"#.utf8)
}

extension PreparedHeaders {
    static var sample: PreparedHeaders {
        get throws {
            try PreparedHeaders(
                authority: "api.push.example",
                fields: [
                    HeaderField("authorization", "bearer abc", indexing: .never),
                    HeaderField("apns-topic", "com.example.app"), HeaderField("apns-push-type", "alert"),
                ]
            )
        }
    }
}

extension Request {
    /// Returns the value of a field, as text.
    func text(_ name: String) -> String? {
        bytes(name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the value of a field, in the session's memory.
    func bytes(_ name: String) -> UnsafeRawBufferPointer? {
        var found: UnsafeRawBufferPointer?
        forEachHeader { if $0.elementsEqual(name.utf8) { found = $1 } }
        return found
    }
}
