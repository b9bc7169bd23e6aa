import CarillonCore

/// The deliveries that one connection has sent and not got answered, by slot.
///
/// A slot's number is the tag of the request in the HTTP/2 session; slots are used again.
struct InFlightTable {
    private struct Slot {
        var delivery: Delivery?
        var stream: Int32 = 0
        var startedAt: UInt64 = 0
        var isCancelled = false
    }

    private var slots: [Slot] = []
    private var free: [Int] = []
    private(set) var count = 0

    /// Puts a delivery into a slot.
    mutating func insert(_ delivery: Delivery, at now: UInt64) -> Int {
        count += 1
        let slot = Slot(delivery: delivery, startedAt: now)
        if let index = free.popLast() {
            slots[index] = slot
            return index
        }
        slots.append(slot)
        return slots.count - 1
    }

    mutating func setStream(_ stream: Int32, of slot: Int) {
        slots[slot].stream = stream
    }

    /// Takes a delivery out of its slot; nothing if the tag is not one of ours.
    mutating func remove(_ tag: UInt64) -> Delivery? {
        guard tag < UInt64(slots.count), let delivery = slots[Int(tag)].delivery else { return nil }
        slots[Int(tag)] = Slot()
        free.append(Int(tag))
        count -= 1
        return delivery
    }

    /// The streams that were started before `limit` and have not been cancelled; they count as cancelled now.
    mutating func takeOverdue(startedBefore limit: UInt64) -> [Int32] {
        var overdue: [Int32] = []
        for index in slots.indices
        where slots[index].delivery != nil && !slots[index].isCancelled && slots[index].startedAt < limit {
            slots[index].isCancelled = true
            overdue.append(slots[index].stream)
        }
        return overdue
    }
}
