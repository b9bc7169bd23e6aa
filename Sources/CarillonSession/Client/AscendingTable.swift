/// A table for values whose ids only grow. Most are removed soon; the others may stay for any time.
///
/// It does what a dictionary does, without hashing: the place of a value is the remainder of its id. Values that stay
/// while many come and go are kept in a dictionary, so that the places are few.
///
/// It is public and inlinable, because other modules use it for each request, and a call of a generic function is many
/// times slower. Of declarations with package access, the compiler (Swift 6.3) inlines none in another module.
public struct AscendingTable<Value> {
    /// The values with ids from `first` up to `end`, each at the remainder of its id. The count is a power of two.
    @usableFromInline var places: [Value?] = Array(repeating: nil, count: 16)
    @usableFromInline var first: UInt64 = 0
    @usableFromInline var end: UInt64 = 0
    /// The values that have left their places to newer values.
    @usableFromInline var late: [UInt64: Value] = [:]
    /// The number of values in the table.
    @inlinable public var count: Int { total }
    @usableFromInline var total = 0

    /// The most places. If the ids in the table are further apart, the values with the lowest ids move to `late`.
    @inlinable static var maximumPlaces: Int { 1 << 16 }

    /// Makes an empty table.
    @inlinable public init() {}

    /// True if the table has no values.
    @inlinable public var isEmpty: Bool { count == 0 }
    var placeCount: Int { places.count }

    @inlinable func place(of id: UInt64) -> Int { Int(truncatingIfNeeded: id) & (places.count - 1) }

    /// Returns the value of an id; nil if the table has no such id. A new value is added with an id above all before
    /// it.
    @inlinable public subscript(id: UInt64) -> Value? {
        get {
            guard id < end else { return nil }
            return id >= first ? places[place(of: id)] : late[id]
        }
        set {
            guard let newValue else {
                _ = remove(id)
                return
            }
            add(newValue, for: id)
        }
    }

    @inlinable mutating func add(_ value: Value, for id: UInt64) {
        if id < first {
            if late.updateValue(value, forKey: id) == nil { total += 1 }
            return
        }
        if id >= end {
            while count > late.count, id - first >= UInt64(places.count) { makePlace() }
            if count == late.count { first = id }
            end = id + 1
        }
        if places[place(of: id)] == nil { total += 1 }
        places[place(of: id)] = value
    }

    /// Removes and returns the value of an id; nil if the table has no such id.
    @inlinable public mutating func remove(_ id: UInt64) -> Value? {
        guard id < end else { return nil }
        guard id >= first else {
            guard let value = late.removeValue(forKey: id) else { return nil }
            total -= 1
            return value
        }
        let place = place(of: id)
        guard let value = places[place] else { return nil }
        places[place] = nil
        total -= 1
        if id == first { skipEmptyPlaces() }
        return value
    }

    /// Moves `first` to the oldest value that has a place.
    @inlinable mutating func skipEmptyPlaces() {
        guard count > late.count else {
            first = end
            return
        }
        while places[place(of: first)] == nil { first += 1 }
    }

    /// Makes room for ids above `end`: by more places, or by a late value if few places are taken.
    @inlinable mutating func makePlace() {
        let taken = count - late.count
        guard places.count < Self.maximumPlaces, taken * 4 > places.count else {
            let id = first
            // There is such a value: `first` is always the oldest that has a place.
            if let value = remove(id) {
                late[id] = value
                total += 1
            }
            return
        }
        let before = self
        places = Array(repeating: nil, count: 2 * before.places.count)
        for id in first..<end { places[place(of: id)] = before.places[before.place(of: id)] }
    }

    /// All values with their ids, ascending.
    public var elements: [(id: UInt64, value: Value)] {
        var elements = late.sorted { $0.key < $1.key }.map { (id: $0.key, value: $0.value) }
        for id in first..<end { if let value = places[place(of: id)] { elements.append((id, value)) } }
        return elements
    }
}

extension AscendingTable: Sendable where Value: Sendable {}
