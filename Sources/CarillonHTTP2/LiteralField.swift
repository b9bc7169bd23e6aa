/// Fields as literals that are never entered into a table (RFC 7541, section 6.2.3). In plain, because they are copied faster
/// than coded, by both sides.
enum Literal {
    /// `:path` by its number in the static table.
    static let pathName: [UInt8] = [0x14]
    /// `apns-id` in letters: a list of numbers is there when the program starts, one that is put together is made at its
    /// first use and asked for at each.
    static let idName: [UInt8] = [0x10, 7, 0x61, 0x70, 0x6E, 0x73, 0x2D, 0x69, 0x64]
    /// `:status` by its number in the static table.
    private static let statusName: [UInt8] = [0x18]
    /// The statuses that the static table has, from its place 8 on.
    private static let indexedStatuses: [UInt16] = [200, 204, 206, 304, 400, 404, 500]

    /// The most that the name and the length of an id add to it, in bytes.
    static let idOverhead = 10

    /// Writes a field into `room`, which is long enough, and returns its length.
    ///
    /// - Parameter name: with the pattern and the number that begin a literal.
    static func write(
        _ name: [UInt8], _ value: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) -> Int {
        room.copyBytes(from: name)
        var count = name.count
        // A number with a prefix of seven bits (section 5.1).
        if value.count < 0x7F {
            room[count] = UInt8(truncatingIfNeeded: value.count)
        } else {
            room[count] = 0x7F
            var rest = value.count - 0x7F
            while rest >= 0x80 {
                count += 1
                room[count] = UInt8(truncatingIfNeeded: rest) | 0x80
                rest >>= 7
            }
            count += 1
            room[count] = UInt8(truncatingIfNeeded: rest)
        }
        count += 1
        UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: value)
        return count + value.count
    }

    /// `:status`: one byte if the static table has it.
    static func status(_ status: UInt16) -> [UInt8] {
        if let index = indexedStatuses.firstIndex(of: status) { return [0x88 + UInt8(index)] }
        return encoded(statusName, Array(String(status).utf8))
    }

    /// A field with a name that no table has.
    static func encoded(_ name: String, _ value: [UInt8]) -> [UInt8] {
        // The name is a string like the value: what stands before it is but the pattern.
        encoded(encoded([0x10], Array(name.utf8)), value)
    }

    private static func encoded(_ name: [UInt8], _ value: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: name.count + value.count + 10) { room, count in
            count = value.withUnsafeBytes { write(name, $0, into: UnsafeMutableRawBufferPointer(room)) }
        }
    }
}
