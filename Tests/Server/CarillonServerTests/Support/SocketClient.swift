import CarillonCore
import CarillonWire
import Glibc

/// A client in this process, over a socket pair.
final class SocketClient: Sendable {
    private let socket: CInt

    init(_ socket: CInt) {
        self.socket = socket
        // Ten minutes: a test that hangs ends.
        var limit = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    private func send(_ write: (inout FrameWriter) -> Void) {
        var writer = FrameWriter()
        write(&writer)
        let bytes = writer.take()
        _ = bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    }

    /// Greets the server and shows a key.
    func greet(key: String) {
        send {
            $0.raw(Preface.clientBytes)
            $0.request(HelloRequest(software: "test/1"), id: 1)
            $0.request(AuthenticateRequest(key: Array(key.utf8)), id: 2)
        }
    }

    /// Reads that many bytes; nil at the end.
    private func read(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var piece = [UInt8](repeating: 0, count: count - bytes.count)
            let length = recv(socket, &piece, piece.count, 0)
            guard length > 0 else { return nil }
            bytes += piece.prefix(length)
        }
        return bytes
    }

    /// Drops the preface of the server.
    func readPreface() { _ = read(Preface.byteCount) }

    /// Returns the next frame: its header and payload; nil at the end.
    func frame() -> (header: FrameHeader, payload: [UInt8])? {
        guard let bytes = read(FrameHeader.byteCount), let header = bytes.withUnsafeBytes({ FrameHeader($0) }),
            let payload = read(Int(header.length))
        else { return nil }
        return (header, payload)
    }

    /// Returns the next frame in words: the operation, and the code of an error; `closed` at the end.
    func next() throws -> String {
        guard let (header, payload) = frame() else { return "closed" }
        guard header.kind == FrameKind.error.rawValue else {
            return header.opcode == .goAway ? "goaway" : header.opcode.name
        }
        return "\(header.opcode.name) \(try payload.withUnsafeBytes { try RequestError(decoding: $0) }.code.name)"
    }
}
