import CarillonHTTP2
import Glibc

/// The fields of one request, in memory that is kept for the next request, and the result of their rules.
struct FieldList {
    /// The position of a header field in `texts`: the name, directly followed by the value.
    struct Entry {
        var start: UInt32
        var nameLength: UInt16
        var valueLength: UInt16
    }

    private(set) var count = 0
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var length = 0
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: maximumCount)
    private(set) var rules = RequestRules()
    /// True if some fields did not fit and were left out.
    private(set) var isTooLong = false

    static let maximumCount = 64

    var texts: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory.baseAddress, count: length) }

    /// Appends a field. A field that does not fit into `limit` bytes in all is left out.
    @inline(__always)
    mutating func append(_ field: CheckedField, limit: Int) {
        rules.check(field)
        let end = length + field.length
        guard !isTooLong, count < Self.maximumCount, end <= limit else {
            isTooLong = true
            return
        }
        if end > memory.count { grow(to: end) }
        guard let target = memory.baseAddress else { return }
        memcpy(target + length, field.text, field.length)
        entries[count] = Entry(
            start: UInt32(truncatingIfNeeded: length), nameLength: UInt16(truncatingIfNeeded: field.nameLength),
            valueLength: UInt16(truncatingIfNeeded: field.valueLength))
        count += 1
        length = end
    }

    @inline(never)
    private mutating func grow(to size: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1 << 10, 2 * size), alignment: 16)
        larger.copyMemory(from: texts)
        memory.deallocate()
        memory = larger
    }

    mutating func removeAll() {
        count = 0
        length = 0
        rules = RequestRules()
        isTooLong = false
    }

    mutating func free() {
        memory.deallocate()
        entries.deallocate()
    }
}
