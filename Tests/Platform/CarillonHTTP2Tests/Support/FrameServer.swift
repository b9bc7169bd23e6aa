import CarillonHTTP2
import CarillonHTTP2Server

/// A server, and a client whose bytes are written by hand.
final class FrameServer {
    let session: HTTP2ServerSession
    private(set) var requests: [Int32] = []
    private(set) var bodies: [Int] = []
    private(set) var closed: [Int32] = []

    init() throws {
        session = try HTTP2ServerSession()
        try receive(
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
                + Frame.settings()
                + Frame.settings(flags: .acknowledgement))
        _ = try sent()
    }

    func receive(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try session.receive($0) }
        drain()
    }

    private func drain() {
        session.takeEvents { event in
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
        return Frame.all(in: all).filter { $0.type != .settings && $0.type != .windowUpdate }
    }

    /// Returns the code of the reset that the stream got, or of the GOAWAY.
    func verdict() throws -> String {
        let words = try sent().map { frame in
            switch frame.type {
            case .reset: "reset \(HTTP2ErrorCode(rawValue: UInt32(frame.payload[3])))"
            case .goAway: "goaway \(HTTP2ErrorCode(rawValue: UInt32(frame.payload[7])))"
            default: "frame \(frame.type.rawValue)"
            }
        }
        return (requests.isEmpty ? words : ["request"] + words).joined(separator: ", ")
    }
}
