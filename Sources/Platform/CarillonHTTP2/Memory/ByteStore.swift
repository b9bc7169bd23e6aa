/// Bytes that are collected in parts, in memory that is kept for the next use. The owner must call `free`.
public struct ByteStore {
    @usableFromInline var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    @usableFromInline var length = 0

    /// Makes an empty store without memory.
    @inlinable
    public init() {}

    /// The number of bytes in use; the memory may have room for more.
    @inlinable
    public var count: Int { length }

    /// The bytes, valid until the next change.
    @inlinable
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory.baseAddress, count: length) }

    /// Appends as much of `part` as `limit` bytes in all allow. Returns false if some of it was cut.
    public mutating func append(_ part: UnsafeRawBufferPointer, limit: Int) -> Bool {
        let added = min(part.count, limit - length)
        guard added > 0, let source = part.baseAddress else { return part.isEmpty }
        if length + added > memory.count { grow(to: length + added, limit: limit) }
        memory.baseAddress.map { ($0 + length).copyMemory(from: source, byteCount: added) }
        length += added
        return added == part.count
    }

    /// Replaces the bytes: `body` gets `size` bytes of memory and returns how many it wrote.
    @inlinable
    public mutating func write(_ size: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
        length = 0
        if size > memory.count { grow(to: size, limit: size) }
        length = body(UnsafeMutableRawBufferPointer(rebasing: memory[..<size]))
    }

    @inline(never)
    @usableFromInline
    mutating func grow(to size: Int, limit: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: min(limit, max(128, size * 2)), alignment: 1)
        larger.copyMemory(from: bytes)
        memory.deallocate()
        memory = larger
    }

    /// Removes the bytes and keeps the memory.
    @inlinable
    public mutating func removeAll() { length = 0 }

    /// Removes the bytes, and frees the memory if it has more than `limit` bytes.
    @inlinable
    public mutating func removeAll(keepingAtMost limit: Int) {
        length = 0
        if memory.count > limit { free() }
    }

    /// Frees the memory.
    public mutating func free() {
        memory.deallocate()
        self = ByteStore()
    }
}
