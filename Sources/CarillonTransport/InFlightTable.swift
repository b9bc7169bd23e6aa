import CarillonCore

/// The attempts that one connection has sent and not got answered, by slot.
///
/// A slot's number is the tag of the request in the HTTP/2 session; slots are used again.
struct InFlightTable {
    private struct Slot {
        var attempt: Attempt?
        var stream: Int32 = 0
        var startedAt: UInt64 = 0
        var isCancelled = false
    }

    private var slots: [Slot] = []
    private var free: [Int] = []
    private(set) var count = 0

    /// Puts an attempt into a slot.
    mutating func insert(_ attempt: consuming Attempt, at now: UInt64) -> Int {
        count += 1
        guard let index = free.popLast() else {
            slots.append(Slot(attempt: attempt, startedAt: now))
            return slots.count - 1
        }
        slots[index] = Slot(attempt: attempt, startedAt: now)
        return index
    }

    mutating func setStream(_ stream: Int32, of slot: Int) {
        slots[slot].stream = stream
    }

    /// Takes an attempt out of its slot; nil if the tag is not one of ours.
    mutating func remove(_ tag: UInt64) -> Attempt? {
        guard tag < UInt64(slots.count), let attempt = slots[Int(tag)].attempt.take() else { return nil }
        free.append(Int(tag))
        count -= 1
        return attempt
    }

    /// The streams that were started before `limit` and have not been cancelled; they count as cancelled now.
    mutating func takeOverdue(startedBefore limit: UInt64) -> [Int32] {
        var overdue: [Int32] = []
        for index in slots.indices
        where slots[index].attempt != nil && !slots[index].isCancelled && slots[index].startedAt < limit {
            slots[index].isCancelled = true
            overdue.append(slots[index].stream)
        }
        return overdue
    }
}
