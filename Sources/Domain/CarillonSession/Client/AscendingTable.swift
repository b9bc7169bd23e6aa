/// A table for values whose ids only grow, such as the requests of a connection. Most values are removed soon; the
/// others may stay for any time.
///
/// It does what a dictionary does, without hashing: the slot of a value is the remainder of its id. A value that stays
/// while many come and go would need ever more slots. So it gives its slot to a newer value, and moves to a dictionary.
///
/// It is public and inlinable, because other modules use it for each request, and a call of a generic function is many
/// times slower. Of declarations with package access, the compiler (Swift 6.3) inlines none in another module.
public struct AscendingTable<Value> {
    /// The values with ids from `first` up to `end`, each at the remainder of its id. The count is a power of two.
    @usableFromInline var slots: [Value?] = Array(repeating: nil, count: 16)
    @usableFromInline var first: UInt64 = 0
    @usableFromInline var end: UInt64 = 0
    /// The values that have given their slots to newer values.
    @usableFromInline var displaced: [UInt64: Value] = [:]
    /// The number of values in the table.
    @inlinable public var count: Int { total }
    @usableFromInline var total = 0

    /// The most slots. If the ids in the table are further apart, the values with the lowest ids move to `displaced`.
    @inlinable static var maximumSlots: Int { 1 << 16 }

    /// Makes an empty table.
    @inlinable public init() {}

    /// True if the table has no values.
    @inlinable public var isEmpty: Bool { count == 0 }
    var slotCount: Int { slots.count }

    @inlinable func slot(of id: UInt64) -> Int { Int(truncatingIfNeeded: id) & (slots.count - 1) }

    /// Returns the value of an id; nil if the table has no such id. The id of a new value must be above all before it.
    @inlinable public subscript(id: UInt64) -> Value? {
        get {
            guard id < end else { return nil }
            return id >= first ? slots[slot(of: id)] : displaced[id]
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
            if displaced.updateValue(value, forKey: id) == nil { total += 1 }
            return
        }
        if id >= end {
            while count > displaced.count, id - first >= UInt64(slots.count) { makeSlot() }
            if count == displaced.count { first = id }
            end = id + 1
        }
        if slots[slot(of: id)] == nil { total += 1 }
        slots[slot(of: id)] = value
    }

    /// Removes and returns the value of an id; nil if the table has no such id.
    @inlinable public mutating func remove(_ id: UInt64) -> Value? {
        guard id < end else { return nil }
        guard id >= first else {
            guard let value = displaced.removeValue(forKey: id) else { return nil }
            total -= 1
            return value
        }
        let index = slot(of: id)
        guard let value = slots[index] else { return nil }
        slots[index] = nil
        total -= 1
        if id == first { skipEmptySlots() }
        return value
    }

    /// Moves `first` to the oldest value that has a slot.
    @inlinable mutating func skipEmptySlots() {
        guard count > displaced.count else {
            first = end
            return
        }
        while slots[slot(of: first)] == nil { first += 1 }
    }

    /// Makes room for ids above `end`: by more slots, or, if few slots are taken, by the one of the oldest value.
    @inlinable mutating func makeSlot() {
        let taken = count - displaced.count
        guard slots.count < Self.maximumSlots, taken * 4 > slots.count else {
            let id = first
            // There is such a value: `first` is always the oldest that has a slot.
            if let value = remove(id) {
                displaced[id] = value
                total += 1
            }
            return
        }
        let before = self
        slots = Array(repeating: nil, count: 2 * before.slots.count)
        for id in first..<end { slots[slot(of: id)] = before.slots[before.slot(of: id)] }
    }

    /// All values with their ids, ascending.
    public var elements: [(id: UInt64, value: Value)] {
        var elements = displaced.sorted { $0.key < $1.key }.map { (id: $0.key, value: $0.value) }
        for id in first..<end { if let value = slots[slot(of: id)] { elements.append((id, value)) } }
        return elements
    }
}

extension AscendingTable: Sendable where Value: Sendable {}
