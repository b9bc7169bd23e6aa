/// The result of `TLSSession.read(into:)`.
package enum ReadResult: Hashable, Sendable {
    /// The number of bytes that were written into the buffer; there may be more.
    case bytes(Int)
    /// All received bytes are read.
    case wantMore
    /// The peer has ended its direction with close_notify.
    case closed
}
