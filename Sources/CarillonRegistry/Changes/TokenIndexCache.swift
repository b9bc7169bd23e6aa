import CarillonCore

/// Which device holds an address, as the writer knows: it says what `addresses` says, or will when what waits is written, so that nobody
/// has to look there; or it says nothing.
///
/// Everything that changes who holds an address tells it here, in the same transaction, and it is given up with one that is aborted.
/// So it is the writer's alone: readers see other snapshots.
///
/// It takes 32 MiB, for two million addresses at most, and is there in floods only. The ones noted last drive out others.
final class TokenIndexCache {
    /// A cache line of them.
    private static let slotsPerSet = 4
    private static let wordsPerSlot = 2
    /// What is left of a word for the tag.
    private static let idBits = AppTable.deviceBound.trailingZeroBitCount

    /// The head of an address' digest, and a word of its tag and the id; 0 is none.
    private let words: AtomicWords
    /// One less than the sets, which are a power of two.
    private let mask: UInt64
    /// How many more there may be until it is three quarters full, and new ones drive out others often.
    private(set) var room: Int

    /// An empty one; nil if there is no memory for so many.
    ///
    /// - Parameter sets: places for four addresses each, a power of two.
    init?(sets: Int) {
        guard sets > 0, sets.nonzeroBitCount == 1,
            let words = AtomicWords(count: sets * Self.slotsPerSet * Self.wordsPerSlot)
        else { return nil }
        self.words = words
        mask = UInt64(sets - 1)
        room = sets * Self.slotsPerSet / 4 * 3
    }

    /// The device that holds an address; nil if it is not known here.
    @inline(__always)
    func device(at address: AddressDigest, _ app: AppNumber) -> DeviceID? {
        slot(of: address, app).map { DeviceID(rawValue: words[$0 + 1] & (AppTable.deviceBound - 1)) }
    }

    /// A device holds an address.
    @inline(__always)
    func note(_ id: DeviceID, at address: AddressDigest, _ app: AppNumber) {
        guard (1..<AppTable.deviceBound).contains(id.rawValue) else { return forget(address, app) }
        // Its own slot, or a free one, or whichever the id falls on.
        let chosen =
            slot(of: address, app) ?? slots(of: address).first { words[$0 + 1] == 0 }
            ?? first(of: address) + Int(truncatingIfNeeded: id.rawValue) % Self.slotsPerSet * Self.wordsPerSlot
        if words[chosen + 1] == 0 { room -= 1 }
        words[chosen] = address.head
        words[chosen + 1] = Self.tag(of: address, app) << Self.idBits | id.rawValue
    }

    /// No device holds an address any more.
    func forget(_ address: AddressDigest, _ app: AppNumber) {
        guard let slot = slot(of: address, app) else { return }
        (words[slot], words[slot + 1]) = (0, 0)
        room += 1
    }

    /// Where an address stands.
    ///
    /// In its set it is told from others by 65 bits of its digest: of 10¹⁹ that are looked for one is taken for another, and nobody can
    /// choose one.
    @inline(__always)
    private func slot(of address: AddressDigest, _ app: AppNumber) -> Int? {
        let tag = Self.tag(of: address, app)
        for slot in slots(of: address) {
            let word = words[slot + 1]
            if words[slot] == address.head, word >> Self.idBits == tag, word != 0 { return slot }
        }
        return nil
    }

    @inline(__always)
    private func slots(of address: AddressDigest) -> StrideTo<Int> {
        let first = first(of: address)
        return stride(from: first, to: first + Self.slotsPerSet * Self.wordsPerSlot, by: Self.wordsPerSlot)
    }

    @inline(__always)
    private func first(of address: AddressDigest) -> Int {
        Int(truncatingIfNeeded: address.head & mask) * Self.slotsPerSet * Self.wordsPerSlot
    }

    /// As much of the tail as there is room for; and of the app, in which a row of the table is that may have been spoilt.
    @inline(__always)
    private static func tag(of address: AddressDigest, _ app: AppNumber) -> UInt64 {
        UInt64(address.tail ^ app) & (1 << UInt64(64 - idBits) - 1)
    }
}
