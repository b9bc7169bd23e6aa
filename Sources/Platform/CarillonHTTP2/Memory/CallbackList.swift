/// A list of values that the callbacks of an object append, in memory of its own.
///
/// An array as a property of a class would be checked for exclusive access at each `append`, several times a stream.
public struct CallbackList<Element>: ~Copyable {
    @usableFromInline
    let list: UnsafeMutablePointer<ContiguousArray<Element>>

    /// Makes an empty list with room for `capacity` elements.
    @inlinable
    public init(capacity: Int = 0) {
        list = .allocate(capacity: 1)
        list.initialize(to: [])
        list.pointee.reserveCapacity(capacity)
    }

    @inlinable
    deinit {
        list.deinitialize(count: 1)
        list.deallocate()
    }

    /// The number of elements since the last removal.
    @inlinable
    public var count: Int { list.pointee.count }

    /// True if there are no elements.
    @inlinable
    public var isEmpty: Bool { list.pointee.isEmpty }

    /// Appends an element.
    @inlinable
    public func append(_ element: Element) { list.pointee.append(element) }

    /// Appends elements.
    @inlinable
    public func append(contentsOf elements: some Collection<Element>) { list.pointee.append(contentsOf: elements) }

    /// Calls `body` with each element, in order.
    @inlinable
    public func forEach(_ body: (Element) -> Void) {
        for element in list.pointee { body(element) }
    }

    /// Calls `body` with the memory of the elements.
    @inlinable
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        list.pointee.withUnsafeBytes(body)
    }

    /// Removes all elements and keeps the memory.
    @inlinable
    public func removeAll() { list.pointee.removeAll(keepingCapacity: true) }
}
