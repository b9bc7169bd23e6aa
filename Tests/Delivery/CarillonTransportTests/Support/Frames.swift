/// HTTP/2 frames written by hand (RFC 9113, section 4.1).
enum Frames {
    /// The type of a frame (RFC 9113, section 6).
    enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case reset = 3
        case settings = 4
        case ping = 6
    }

    /// The flags of a frame, whose meaning depends on its type.
    struct Flags: OptionSet {
        let rawValue: UInt8

        static let endStream = Flags(rawValue: 0x1)
        static let endHeaders = Flags(rawValue: 0x4)
    }

    static func frame(_ type: Kind, flags: Flags = [], stream: Int32, _ payload: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(payload.count).bigEndian, Array.init).dropFirst() + [type.rawValue, flags.rawValue]
            + withUnsafeBytes(of: stream.bigEndian, Array.init) + payload
    }

    /// Makes HEADERS with `:status` from the static table, which has 200, 204, 206, 304, 400, 404 and 500.
    static func headers(_ status: Int, endsStream: Bool = false, stream: Int32) -> [UInt8] {
        let index = [200: 8, 204: 9, 206: 10, 304: 11, 400: 12, 404: 13, 500: 14][status] ?? 14
        return headersFrame([0x80 | UInt8(index)], endsStream: endsStream, stream: stream)
    }

    /// Makes HEADERS with any statuses and fields, none of them in a table.
    static func headers(
        _ statuses: [Int], _ fields: [(String, String)] = [], endsStream: Bool, stream: Int32
    ) -> [UInt8] {
        // 8 is the index of `:status` in the static table (RFC 7541, appendix A).
        var block: [UInt8] = []
        for status in statuses { block += [0x08, 3] + Array("\(status)".utf8) }
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
            block += [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        return headersFrame(block, endsStream: endsStream, stream: stream)
    }

    private static func headersFrame(_ block: [UInt8], endsStream: Bool, stream: Int32) -> [UInt8] {
        frame(.headers, flags: endsStream ? [.endHeaders, .endStream] : .endHeaders, stream: stream, block)
    }

    /// Makes RST_STREAM.
    static func reset(_ code: UInt32, stream: Int32) -> [UInt8] {
        frame(.reset, stream: stream, withUnsafeBytes(of: code.bigEndian, Array.init))
    }

    /// Makes DATA, in frames that every client takes.
    static func body(_ bytes: [UInt8], endsStream: Bool, stream: Int32) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 16_384).flatMap { start in
            let end = min(start + 16_384, bytes.count)
            let isLast = end == bytes.count
            return frame(
                .data, flags: endsStream && isLast ? .endStream : [], stream: stream, Array(bytes[start..<end]))
        }
    }

    /// Makes an answer whose body comes in several DATA frames.
    static func answer(_ status: Int, pieces: [String], stream: Int32) -> [UInt8] {
        headers(status, stream: stream)
            + pieces.enumerated().flatMap { index, piece in
                frame(.data, flags: index == pieces.count - 1 ? .endStream : [], stream: stream, Array(piece.utf8))
            }
    }
}
