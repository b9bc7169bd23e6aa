/// The reason why stored bytes of the cluster's state could not be read.
package struct StoredBytesError: Error, Hashable, CustomStringConvertible {
    /// The reason as a sentence without its subject.
    package let description: String

    static let endsEarly = StoredBytesError(description: "they end early")
    static let bytesLeftOver = StoredBytesError(description: "bytes are left over")
    static let unknownForm = StoredBytesError(description: "their form is unknown: a later version has written them")
    static let contradictory = StoredBytesError(description: "they contradict themselves")
}

extension StoredBytesError: ByteReadingError {}
