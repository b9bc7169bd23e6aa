/// The parts of a request that differ from device to device, in memory that is used again for each.
package struct RequestParts: ~Copyable {
    package static let maximumPathBytes = 1_024
    /// The longest `apns-id`, in bytes.
    package static let maximumIDBytes = 36

    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: roomBytes, alignment: 16)
    /// The bytes of the memory. `bodyEnd` has room for the whole body of a push to a browser, 4,096 bytes.
    private static let roomBytes = bodyEndStart + 4_096
    /// The number of bytes of the path, of the id and of the end of the body that are filled.
    private var counts = (path: 0, id: 0, bodyEnd: 0)

    private static let pathStart = 0
    private static let idStart = maximumPathBytes
    private static let bodyEndStart = maximumPathBytes + 64
    package static let maximumBodyEndBytes = roomBytes - bodyEndStart

    package init() {}

    deinit { memory.deallocate() }

    /// The header `:path`.
    package var path: UnsafeRawBufferPointer { part(Self.pathStart, bytes: counts.path) }

    /// The header `apns-id`; nil if the provider has no such header.
    package var id: UnsafeRawBufferPointer? { counts.id == 0 ? nil : part(Self.idStart, bytes: counts.id) }

    /// The end of the body, after `SharedRequest.body`; empty if that is all of it.
    package var bodyEnd: UnsafeRawBufferPointer { part(Self.bodyEndStart, bytes: counts.bodyEnd) }

    private func part(_ start: Int, bytes count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[start..<start + count])
    }

    /// Writes the path: `write` gets `maximumPathBytes` bytes of memory and returns how many it has filled. The bytes
    /// of the last path are still there.
    @inline(__always)
    package mutating func setPath(_ write: (UnsafeMutableRawPointer) -> Int) {
        // Safety: the memory is allocated with a size above zero.
        counts.path = min(Self.maximumPathBytes, write(memory.baseAddress.unsafelyUnwrapped + Self.pathStart))
    }

    /// Writes the id: `write` gets `maximumIDBytes` bytes of memory and returns how many it has filled.
    @inline(__always)
    package mutating func setID(_ write: (UnsafeMutableRawPointer) -> Int) {
        counts.id = min(Self.maximumIDBytes, write(memory.baseAddress.unsafelyUnwrapped + Self.idStart))
    }

    /// Writes the end of the body: `write` gets `maximumBodyEndBytes` bytes of memory and returns how many it has
    /// filled.
    @inline(__always)
    package mutating func setBodyEnd(_ write: (UnsafeMutableRawPointer) -> Int) {
        counts.bodyEnd = min(
            Self.maximumBodyEndBytes, write(memory.baseAddress.unsafelyUnwrapped + Self.bodyEndStart))
    }
}
