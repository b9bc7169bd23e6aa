/// Reads big-endian numbers from the front of bytes.
struct BigEndianReader<Failure: ByteReadingError> {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func take(_ count: Int) throws(Failure) -> ArraySlice<UInt8> {
        guard count <= bytes.count else { throw .endsEarly }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    mutating func number<N: FixedWidthInteger & UnsignedInteger>() throws(Failure) -> N {
        // The sum is made in 64 bits, because a shift by 8 is too far for an 8-bit number.
        try take(N.bitWidth / 8).reduce(0) { N(truncatingIfNeeded: UInt64($0) << 8 | UInt64($1)) }
    }

    func end() throws(Failure) {
        guard bytes.isEmpty else { throw .bytesLeftOver }
    }
}

/// A reader of stored bytes of the cluster's state.
typealias StoredBytesReader = BigEndianReader<StoredBytesError>

extension [UInt8] {
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}

/// The reasons why bytes could not be read that all readers of bytes have in common.
protocol ByteReadingError: Error {
    static var endsEarly: Self { get }
    static var bytesLeftOver: Self { get }
}
