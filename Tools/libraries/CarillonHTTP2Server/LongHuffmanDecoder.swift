import CCarillonNghttp2
import Glibc

/// A decoder of strings with Huffman codes that `ShortHuffmanCodes` does not have. nghttp2 decodes them, as the value
/// of a field.
final class LongHuffmanDecoder {
    private let inflater: OpaquePointer
    private var block: [UInt8] = []

    init?() {
        var inflater: OpaquePointer?
        guard nghttp2_hd_inflate_new(&inflater) == 0, let inflater else { return nil }
        self.inflater = inflater
    }

    deinit { nghttp2_hd_inflate_del(inflater) }

    /// Decodes a string, and returns the length of its text; nil if the codes are invalid. The decoder decodes nothing
    /// more after that.
    func decode(_ coded: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? {
        // A literal that is not inserted into the table, with a name of one letter.
        block = [0x00, 0x01, UInt8(ascii: "x")] + Self.length(coded.count)
        block += coded
        return block.withUnsafeBufferPointer { block in
            var field = nghttp2_nv()
            var flags: Int32 = 0
            let read = nghttp2_hd_inflate_hd2(inflater, &field, &flags, block.baseAddress, block.count, 1)
            guard read == block.count, flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0,
                field.valuelen <= target.count, let start = target.baseAddress
            else { return nil }
            if let text = field.value { memcpy(start, text, field.valuelen) }
            let count = field.valuelen
            // Ends the block.
            guard nghttp2_hd_inflate_hd2(inflater, &field, &flags, nil, 0, 1) == 0 else { return nil }
            nghttp2_hd_inflate_end_headers(inflater)
            return count
        }
    }

    /// Returns the encoded length of a coded string, which is below 64 KiB.
    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x7F else { return [0x80 | UInt8(count)] }
        let remainder = count - 0x7F
        return [
            0xFF, UInt8(remainder & 0x7F) | 0x80, UInt8(remainder >> 7 & 0x7F) | 0x80, UInt8(remainder >> 14 & 0x7F),
        ]
    }
}
