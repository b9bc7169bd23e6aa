/// Why stored bytes of the cluster's state could not be read.
package struct StoredBytesError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, a sentence without its subject.
    package let description: String

    static let endsEarly = StoredBytesError(description: "they end early")
    static let bytesLeftOver = StoredBytesError(description: "bytes are left over")
    static let unknownForm = StoredBytesError(description: "their form is unknown: a later version has written them")
    static let contradictory = StoredBytesError(description: "they contradict themselves")
}

/// Why bytes could not be read, as far as every reader of bytes can say it.
protocol ByteReadingError: Error {
    static var endsEarly: Self { get }
    static var bytesLeftOver: Self { get }
}

extension StoredBytesError: ByteReadingError {}

/// Reads big-endian numbers from the front of bytes.
struct BytesReader<Failure: ByteReadingError> {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func take(_ count: Int) throws(Failure) -> ArraySlice<UInt8> {
        guard count <= bytes.count else { throw .endsEarly }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    mutating func number<N: FixedWidthInteger & UnsignedInteger>() throws(Failure) -> N {
        // A byte is not shifted out of itself.
        try take(N.bitWidth / 8).reduce(0) { N(truncatingIfNeeded: UInt64($0) << 8 | UInt64($1)) }
    }

    func end() throws(Failure) {
        guard bytes.isEmpty else { throw .bytesLeftOver }
    }
}

/// Reads stored bytes of the cluster's state.
typealias StoredBytesReader = BytesReader<StoredBytesError>

extension [UInt8] {
    /// Appends a number, big-endian.
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
