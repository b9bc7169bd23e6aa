import CarillonCore

/// The writer's exact cache of the token index: address → device. An entry equals the row of the token
/// index. An address without an entry is looked up in the table.
///
/// Every change of the token index changes the cache in the same transaction, and the cache is dropped with an aborted
/// transaction. So it belongs to the writer alone: readers see other snapshots.
///
/// It takes 32 MiB, for two million addresses at most, and exists during bulk ingest only. New entries evict others.
final class TokenIndexCache {
    /// The number of slots of a bucket, which fill one cache line.
    private static let slotsPerBucket = 4
    private static let wordsPerSlot = 2
    /// The number of bits of the id in the second word of a slot; the rest is the tag.
    private static let idBits = AppTable.deviceBound.trailingZeroBitCount

    /// The words of the slots, two each: the head of the address digest, and tag and id. A second word of 0 is a free
    /// slot.
    private let words: AtomicWords
    /// The number of buckets, a power of two, less one.
    private let mask: UInt64
    /// The number of free slots until three quarters are used; beyond that new entries often evict others.
    private(set) var freeSlotCount: Int

    /// Makes an empty cache; nil if the system has no memory for it.
    ///
    /// - Parameter buckets: the number of buckets of four addresses each, a power of two.
    init?(buckets: Int) {
        guard buckets > 0, buckets.nonzeroBitCount == 1,
            let words = AtomicWords(count: buckets * Self.slotsPerBucket * Self.wordsPerSlot)
        else { return nil }
        self.words = words
        mask = UInt64(buckets - 1)
        freeSlotCount = buckets * Self.slotsPerBucket / 4 * 3
    }

    /// Returns the device of an address; nil if the cache has no entry.
    @inline(__always)
    func device(at digest: AddressDigest, app: AppNumber) -> DeviceID? {
        findSlot(of: digest, app: app).map { DeviceID(rawValue: words[$0 + 1] & (AppTable.deviceBound - 1)) }
    }

    /// Inserts or replaces the entry of an address.
    @inline(__always)
    func insert(_ id: DeviceID, at digest: AddressDigest, app: AppNumber) {
        guard (1..<AppTable.deviceBound).contains(id.rawValue) else { return remove(digest, app: app) }
        // The slot of the address, or a free one, or one chosen by the id.
        let chosen =
            findSlot(of: digest, app: app) ?? slots(of: digest).first { words[$0 + 1] == 0 }
            ?? firstSlot(of: digest) + Int(truncatingIfNeeded: id.rawValue) % Self.slotsPerBucket * Self.wordsPerSlot
        if words[chosen + 1] == 0 { freeSlotCount -= 1 }
        words[chosen] = digest.head
        words[chosen + 1] = Self.tag(of: digest, app: app) << Self.idBits | id.rawValue
    }

    func remove(_ digest: AddressDigest, app: AppNumber) {
        guard let slot = findSlot(of: digest, app: app) else { return }
        (words[slot], words[slot + 1]) = (0, 0)
        freeSlotCount += 1
    }

    /// Returns the slot of an address; nil if the cache has no entry.
    ///
    /// 65 bits of the digest tell the addresses of a bucket apart. One of 10¹⁹ lookups takes an address for another,
    /// and a client cannot choose such an address.
    @inline(__always)
    private func findSlot(of digest: AddressDigest, app: AppNumber) -> Int? {
        let tag = Self.tag(of: digest, app: app)
        for slot in slots(of: digest) {
            let word = words[slot + 1]
            if words[slot] == digest.head, word >> Self.idBits == tag, word != 0 { return slot }
        }
        return nil
    }

    @inline(__always)
    private func slots(of digest: AddressDigest) -> StrideTo<Int> {
        let first = firstSlot(of: digest)
        return stride(from: first, to: first + Self.slotsPerBucket * Self.wordsPerSlot, by: Self.wordsPerSlot)
    }

    @inline(__always)
    private func firstSlot(of digest: AddressDigest) -> Int {
        Int(truncatingIfNeeded: digest.head & mask) * Self.slotsPerBucket * Self.wordsPerSlot
    }

    /// Returns the tag: the tail bits XOR the app, so that a row that was filed under the wrong app misses.
    @inline(__always)
    private static func tag(of digest: AddressDigest, app: AppNumber) -> UInt64 {
        UInt64(digest.tail ^ app) & (1 << UInt64(64 - idBits) - 1)
    }
}
