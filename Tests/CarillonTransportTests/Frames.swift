/// HTTP/2 frames written by hand (RFC 9113, section 4.1).
enum Frames {
    static func frame(_ type: UInt8, flags: UInt8, stream: Int32, _ payload: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(payload.count).bigEndian, Array.init).dropFirst() + [type, flags]
            + withUnsafeBytes(of: stream.bigEndian, Array.init) + payload
    }

    /// HEADERS with `:status` from the static table, which has 200, 204, 206, 304, 400, 404 and 500.
    static func headers(_ status: Int, endsStream: Bool = false, stream: Int32) -> [UInt8] {
        let index = [200: 8, 204: 9, 206: 10, 304: 11, 400: 12, 404: 13, 500: 14][status] ?? 14
        return frame(1, flags: endsStream ? 5 : 4, stream: stream, [0x80 | UInt8(index)])
    }

    /// An answer whose body comes in several DATA frames.
    static func answer(_ status: Int, pieces: [String], stream: Int32) -> [UInt8] {
        headers(status, stream: stream)
            + pieces.enumerated().flatMap { index, piece in
                frame(0, flags: index == pieces.count - 1 ? 1 : 0, stream: stream, Array(piece.utf8))
            }
    }
}
