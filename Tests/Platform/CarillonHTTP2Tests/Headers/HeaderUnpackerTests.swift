import Testing

@testable import CarillonHTTP2
@testable import CarillonHTTP2Server

/// Huffman codes are removed from answers before nghttp2 gets them: nothing else changes.
struct HeaderUnpackerTests {
    /// Makes a HEADERS frame with END_HEADERS and END_STREAM on stream 1, by default.
    private static func frame(
        _ payload: [UInt8], type: Frame.Kind = .headers, flags: Frame.Flags = .whole
    ) -> [UInt8] {
        Frame.bytes(type: type, flags: flags, stream: 1, payload: payload)
    }

    private func unpacked(_ bytes: [UInt8], pieces: Int = .max) throws -> [UInt8] {
        var unpacker = HeaderUnpacker()
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: min(pieces, bytes.count)) {
            try bytes[start..<min(bytes.count, start + min(pieces, bytes.count))].withUnsafeBytes { piece in
                try unpacker.unpack(piece) { result += $0 }
            }
        }
        return result
    }

    /// RFC 7541, appendices C.4 and C.6: the same fields with and without Huffman codes.
    @Test(
        arguments: [
            ("828684418cf1e3c2e5f23a6ba0ab90f4ff", "828684410f7777772e6578616d706c652e636f6d"),
            ("828684be5886a8eb10649cbf", "828684be58086e6f2d6361636865"),
            (
                "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf",
                "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565"
            ), ("3fe11f48826402", "3fe11f4803333032") as (String, String),
        ],
        [Int.max, 1, 9, 30]
    )
    func `Huffman codes become text`(_ fields: (coded: String, plain: String), _ pieces: Int) throws {
        let data = Self.frame([1, 2, 3], type: .data)
        let coded = Self.frame(hexBytes(fields.coded)) + data + Self.frame(hexBytes(fields.coded))
        let plain = Self.frame(hexBytes(fields.plain)) + data + Self.frame(hexBytes(fields.plain))
        #expect(try unpacked(coded, pieces: pieces) == plain)
    }

    /// Malformed or unsupported blocks are left to nghttp2.
    @Test(
        arguments: [
            ("padding of eight bits", "4182f1ff"), ("padding of zeros", "4181f0"), ("the end symbol", "4184ffffffff"),
            ("a code of 13 bits", "4183fffb7f"), ("a string that ends too late", "418cf1e3"), ("no string", "41"),
            ("an integer without end", "7fffffffffffffff01"), ("no name", "4083"), ("nothing", ""),
        ], [Int.max, 1])
    func `a malformed header block passes unchanged`(_ row: (name: String, hex: String), _ pieces: Int) throws {
        let all = Self.frame(hexBytes(row.hex)) + Self.frame([0, 0, 0, 0, 0, 0, 0, 0], type: .ping, flags: [])
        #expect(try unpacked(all, pieces: pieces) == all)
    }

    /// A block with PADDED, one with PRIORITY, one that continues in CONTINUATION, and one that is too long.
    @Test(arguments: [
        frame([0] + hexBytes("418cf1e3c2e5f23a6ba0ab90f4ff"), flags: [.whole, .padded]),
        frame(
            [0, 0, 0, 0, 0] + hexBytes("418cf1e3c2e5f23a6ba0ab90f4ff"), flags: [.whole, .priority]),
        frame(hexBytes("418cf1e3c2e5"), flags: .endStream)
            + frame(hexBytes("f23a6ba0ab90f4ff"), type: .continuation, flags: .endHeaders),
        frame(Array(repeating: 0x82, count: 8_001)),
    ])
    func `padded, continued and long blocks pass unchanged`(_ frames: [UInt8]) throws {
        let all = frames
        #expect(try unpacked(all) == all)
        #expect(try unpacked(all, pieces: 5) == all)
    }
}
