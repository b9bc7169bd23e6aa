/// The reasons why bytes could not be read that all readers of bytes have in common.
protocol ByteReadingError: Error {
    static var endsEarly: Self { get }
    static var bytesLeftOver: Self { get }
}

extension StoredBytesError: ByteReadingError {}
