/// A request body that many streams send, in memory that does not move.
///
/// Retained by each stream that sends it, until that stream is closed.
// Safety: the memory is written in init and only read until deinit.
package final class PreparedBody: @unchecked Sendable {
    /// The bytes of the body; valid as long as the object.
    package let bytes: UnsafeRawBufferPointer

    /// Copies `source`.
    package init(_ source: some Collection<UInt8>) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
        copy.copyBytes(from: source)
        bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
}
