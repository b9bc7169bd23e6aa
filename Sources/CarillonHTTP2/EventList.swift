/// A list that an object's callbacks add to, in memory of its own.
///
/// An array as a property of a class would be checked for exclusive access at each `append`, several times a stream.
struct Notes<Element>: ~Copyable {
    private let list: UnsafeMutablePointer<ContiguousArray<Element>>

    init(capacity: Int = 0) {
        list = .allocate(capacity: 1)
        list.initialize(to: [])
        list.pointee.reserveCapacity(capacity)
    }

    deinit {
        list.deinitialize(count: 1)
        list.deallocate()
    }

    var count: Int { list.pointee.count }

    var isEmpty: Bool { list.pointee.isEmpty }

    func append(_ element: Element) { list.pointee.append(element) }

    func append(contentsOf elements: some Collection<Element>) { list.pointee.append(contentsOf: elements) }

    func forEach(_ body: (Element) -> Void) {
        for element in list.pointee { body(element) }
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        list.pointee.withUnsafeBytes(body)
    }

    /// Forgets the elements and keeps the memory.
    func removeAll() { list.pointee.removeAll(keepingCapacity: true) }
}
