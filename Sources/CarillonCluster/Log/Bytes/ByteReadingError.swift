/// The reason why bytes could not be read, as far as every reader of bytes can say it.
protocol ByteReadingError: Error {
    static var endsEarly: Self { get }
    static var bytesLeftOver: Self { get }
}

extension StoredBytesError: ByteReadingError {}
