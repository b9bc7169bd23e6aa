/// Encodes header fields as literals (RFC 7541, section 6.2). Nearly all of them are never inserted into a table. They
/// have no Huffman codes, because both sides copy faster than they code.
package enum LiteralField {
    /// The name `:path`, by its number in the static table.
    static let pathName: [UInt8] = [0x14]
    /// The header that carries the id of a request: `apns-id`, the only such header that a provider of pushes knows.
    /// Its letters are numbers here, because a list of constants is initialised at compile time. A computed list would
    /// be made at its first use, and checked at each use.
    package static let requestIDName: [UInt8] = [0x10, 7, 0x61, 0x70, 0x6E, 0x73, 0x2D, 0x69, 0x64]
    /// The name `authorization`, by its number in the static table, in a field that is inserted (section 6.2.1).
    static let insertedAuthorizationName: [UInt8] = [0x57]
    /// The name `authorization`, by its number in the static table, in a field that is never inserted.
    static let authorizationName: [UInt8] = [0x1F, 8]
    /// The name `:status`, by its number in the static table.
    private static let statusName: [UInt8] = [0x18]
    /// The statuses in the static table, from its index 8 on.
    private static let indexedStatuses: [UInt16] = [200, 204, 206, 304, 400, 404, 500]

    /// The most bytes that the name and the length add to an id of less than 127 bytes: 9 and 1.
    package static let maximumRequestIDOverheadBytes = 10

    /// Writes a field into `room`, which is long enough. Returns the number of bytes written.
    ///
    /// - Parameter name: the pattern and the index, or the name, that begin a literal.
    package static func write(
        _ name: [UInt8], value: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> Int {
        room.copyBytes(from: name)
        var count = name.count
        // A number with a prefix of seven bits (section 5.1).
        if value.count < 0x7F {
            room[count] = UInt8(truncatingIfNeeded: value.count)
        } else {
            room[count] = 0x7F
            var remainder = value.count - 0x7F
            while remainder >= 0x80 {
                count += 1
                room[count] = UInt8(truncatingIfNeeded: remainder) | 0x80
                remainder >>= 7
            }
            count += 1
            room[count] = UInt8(truncatingIfNeeded: remainder)
        }
        count += 1
        UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: value)
        return count + value.count
    }

    /// Returns the field `:status`: one byte if the status is in the static table.
    package static func status(_ status: UInt16) -> [UInt8] {
        if let index = indexedStatuses.firstIndex(of: status) { return [0x88 + UInt8(index)] }
        return encoded(statusName, value: Array(String(status).utf8))
    }

    /// Returns a field whose name is in no table.
    package static func encoded(_ name: String, value: [UInt8]) -> [UInt8] {
        // The name is a string like the value; only the pattern comes before it.
        encoded(encoded([0x10], value: Array(name.utf8)), value: value)
    }

    private static func encoded(_ name: [UInt8], value: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: name.count + value.count + 10) { room, count in
            count = value.withUnsafeBytes { write(name, value: $0, into: UnsafeMutableRawBufferPointer(room)) }
        }
    }
}
