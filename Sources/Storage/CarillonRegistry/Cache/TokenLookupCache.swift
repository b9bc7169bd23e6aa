import CarillonCore

/// The lossy address → device cache of reads. It avoids the token index, whose pages are in no processor cache as soon
/// as there are many devices.
///
/// An entry may be wrong, for example because the address belongs to another device now. So the reader gets the record
/// of the device that the entry names, in its own snapshot. If the record has the address, the entry is right, because
/// `addresses` says the same. If not, the reader has made one read in vain. So the cache needs no lock.
///
/// It takes 16 MiB at most, for two million addresses, and only the pages that are used. New entries evict others.
struct TokenLookupCache: Sendable {
    /// The number of slots of a bucket, which fill one cache line.
    private static let slotsPerBucket = 8
    private static let buckets = 1 << 18
    /// The number of bits of the id in a word; the rest is the tag.
    private static let idBits = AppTable.deviceBound.trailingZeroBitCount

    /// The words of the slots, one each: a tag, which is a part of the address digest, and the id. 0 is a free slot.
    /// Nil if the system has no memory for them.
    private let words = AtomicWords(count: buckets * slotsPerBucket)

    /// Returns the device that may have an address; nil if the cache has no entry.
    @inline(__always)
    func device(at digest: AddressDigest) -> DeviceID? {
        guard let words else { return nil }
        let first = Self.first(of: digest)
        let tag = Self.tag(of: digest)
        for slot in first..<first + Self.slotsPerBucket {
            let word = words[slot]
            if word != 0, word >> Self.idBits == tag {
                return DeviceID(rawValue: word & (AppTable.deviceBound - 1))
            }
        }
        return nil
    }

    /// Prefetches the entry of an address that will be looked up soon.
    @inline(__always)
    func prefetch(_ digest: AddressDigest) {
        words?.prefetch(Self.first(of: digest))
    }

    /// Inserts or replaces the entry of an address.
    func insert(_ id: DeviceID, at digest: AddressDigest) {
        guard let words, id.rawValue < AppTable.deviceBound else { return }
        let first = Self.first(of: digest)
        let tag = Self.tag(of: digest)
        // The slot of the address, or a free one, or one chosen by the id.
        var chosen = first + Int(truncatingIfNeeded: id.rawValue) & (Self.slotsPerBucket - 1)
        for slot in first..<first + Self.slotsPerBucket {
            let word = words[slot]
            guard word == 0 || word >> Self.idBits == tag else { continue }
            chosen = slot
            break
        }
        words[chosen] = tag << Self.idBits | id.rawValue
    }

    /// Returns the first slot of the bucket of an address.
    @inline(__always)
    private static func first(of digest: AddressDigest) -> Int {
        Int(truncatingIfNeeded: digest.head & UInt64(buckets - 1)) * slotsPerBucket
    }

    /// Returns the tag, which tells the addresses of a bucket apart.
    @inline(__always)
    private static func tag(of digest: AddressDigest) -> UInt64 { digest.head >> UInt64(idBits) }
}
