import CarillonCore

/// The attempts that one connection has submitted and that have no answer yet, by the tag of the request in the HTTP/2
/// session: the index of the attempt's slot. Slots are reused.
struct InFlightTable {
    private struct Slot {
        var attempt: Attempt?
        var stream: Int32 = 0
        var startedAt: Uptime = 0
        var isOverdue = false
    }

    struct EndedAttempt {
        var attempt: Attempt
        /// True if the attempt was cancelled because its answer did not come in time.
        var wasOverdue: Bool
        /// The `apns-unique-id` of the push; nil if the answer had none.
        var uniqueID: String?
    }

    private var slots: [Slot] = []
    private var freeTags: [UInt64] = []
    /// The `apns-unique-id`s by tag. They are not in the slots: only APNs' sandbox sends them, and each push would pay
    /// for the field.
    private var uniqueIDs: [UInt64: String] = [:]
    private(set) var count = 0

    /// Inserts an attempt and returns its tag.
    mutating func insert(_ attempt: consuming Attempt, at now: Uptime) -> UInt64 {
        count += 1
        guard let tag = freeTags.popLast() else {
            slots.append(Slot(attempt: attempt, startedAt: now))
            return UInt64(slots.count - 1)
        }
        slots[Int(tag)] = Slot(attempt: attempt, startedAt: now)
        return tag
    }

    /// Records the stream of the attempt that was inserted with a tag.
    mutating func setStream(_ stream: Int32, of tag: UInt64) {
        slots[Int(tag)].stream = stream
    }

    /// Records the `apns-unique-id` of a push. Ignores a tag that is not one of this table.
    mutating func setUniqueID(_ id: String?, of tag: UInt64) {
        guard tag < UInt64(slots.count), slots[Int(tag)].attempt != nil else { return }
        uniqueIDs[tag] = id
    }

    /// Removes and returns an attempt; nil if the tag is not one of this table.
    mutating func remove(_ tag: UInt64) -> EndedAttempt? {
        guard tag < UInt64(slots.count), let attempt = slots[Int(tag)].attempt.take() else { return nil }
        freeTags.append(tag)
        count -= 1
        return EndedAttempt(
            attempt: attempt, wasOverdue: slots[Int(tag)].isOverdue,
            uniqueID: uniqueIDs.isEmpty ? nil : uniqueIDs.removeValue(forKey: tag))
    }

    /// Marks the attempts that were inserted before `limit` as overdue, and returns the streams of the newly marked
    /// ones, which must be cancelled.
    mutating func markOverdue(startedBefore limit: Uptime) -> [Int32] {
        var overdue: [Int32] = []
        for index in slots.indices
        where slots[index].attempt != nil && !slots[index].isOverdue && slots[index].startedAt < limit {
            slots[index].isOverdue = true
            overdue.append(slots[index].stream)
        }
        return overdue
    }
}
