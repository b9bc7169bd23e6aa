/// Why stored bytes of the cluster's state could not be read.
package struct StoredBytesFault: Error, Hashable, CustomStringConvertible {
    /// What is wrong, a sentence without its subject.
    package let description: String

    static let endsEarly = StoredBytesFault(description: "they end early")
    static let bytesLeftOver = StoredBytesFault(description: "bytes are left over")
    static let unknownForm = StoredBytesFault(description: "their form is unknown: a later version has written them")
    static let contradictory = StoredBytesFault(description: "they contradict themselves")
}

/// Reads big-endian numbers from the front of stored bytes.
struct StoredBytesReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func take(_ count: Int) throws(StoredBytesFault) -> ArraySlice<UInt8> {
        guard count <= bytes.count else { throw .endsEarly }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    mutating func number<N: FixedWidthInteger & UnsignedInteger>() throws(StoredBytesFault) -> N {
        // A byte is not shifted out of itself.
        try take(N.bitWidth / 8).reduce(0) { N(truncatingIfNeeded: UInt64($0) << 8 | UInt64($1)) }
    }

    func end() throws(StoredBytesFault) {
        guard bytes.isEmpty else { throw .bytesLeftOver }
    }
}

extension [UInt8] {
    /// Appends a number, big-endian.
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
