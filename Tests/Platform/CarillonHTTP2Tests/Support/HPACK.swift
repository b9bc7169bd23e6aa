/// The parts of a header block, in the words of RFC 7541.
enum HPACK {
    /// The index of the field that was added last: those of the static table are before it.
    static let newest = 62

    /// A field of one of the tables.
    static func field(at index: Int) -> [UInt8] { integer(index, below: 0x80) }

    /// A field that is added to the table.
    static func added(_ name: String, _ value: String) -> [UInt8] { [0x40] + text(name) + text(value) }

    /// A field that is added to the table, with a name that is there.
    static func added(nameAt index: Int, _ value: String) -> [UInt8] { integer(index, below: 0x40) + text(value) }

    /// A field that is not added to the table; the value may be coded.
    static func plain(_ name: String, _ value: [UInt8]) -> [UInt8] { [0x00] + text(name) + value }

    /// A new size of the table, in bytes. A field takes 32 bytes, its name and its value.
    static func tableSize(_ bytes: Int) -> [UInt8] { integer(bytes, below: 0x20) }

    /// A text as it is.
    static func text(_ text: String) -> [UInt8] {
        // The bit of a Huffman code is 0.
        var bytes = integer(text.utf8.count, below: 0x80)
        bytes[0] &= 0x7F
        return bytes + Array(text.utf8)
    }

    /// A text in Huffman code, whose bytes are given.
    static func coded(_ bytes: [UInt8]) -> [UInt8] { integer(bytes.count, below: 0x80) + bytes }

    /// An integer in the bits below `mark`, which is set; the rest follows in bytes of seven bits.
    private static func integer(_ value: Int, below mark: UInt8) -> [UInt8] {
        let largest = Int(mark) - 1
        guard value >= largest else { return [mark | UInt8(value)] }
        var bytes = [mark | UInt8(largest)]
        var rest = value - largest
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
