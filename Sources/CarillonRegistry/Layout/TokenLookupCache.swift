import CarillonCore

/// Which device was found at an address lately: a way to its record without one through `addresses`, whose pages are cold as soon
/// as there are many devices.
///
/// A hint says nothing by itself. It is believed only if the device's record, in the snapshot of who asks, bears the address: then
/// `addresses` says the same. So an old hint costs a look and can do no harm, and no lock keeps readers apart.
///
/// It takes 16 MiB at most, for two million addresses, and only what is used of that. The ones used last drive out others.
struct TokenLookupCache: Sendable {
    /// A cache line of them: whoever looks for one has all of its neighbours.
    private static let slotsPerSet = 8
    private static let sets = 1 << 18
    /// What is left of a word for the tag.
    private static let idBits = AppTable.deviceBound.trailingZeroBitCount

    /// Words of a tag, which is a part of the address' digest, and the id; 0 is none. Nil if there is no memory for them.
    private let words = AtomicWords(count: sets * slotsPerSet)

    /// The device that may hold an address.
    @inline(__always)
    func device(at address: AddressDigest) -> DeviceID? {
        guard let words else { return nil }
        let (first, tag) = (Self.first(of: address), Self.tag(of: address))
        for slot in first..<first + Self.slotsPerSet {
            let word = words[slot]
            if word != 0, word >> Self.idBits == tag {
                return DeviceID(rawValue: word & (AppTable.deviceBound - 1))
            }
        }
        return nil
    }

    /// Asks the processor for the hint of an address that will be looked for soon.
    @inline(__always)
    func prefetch(_ address: AddressDigest) {
        words?.prefetch(Self.first(of: address))
    }

    /// Takes note of the device that holds an address.
    func note(_ id: DeviceID, at address: AddressDigest) {
        guard let words, id.rawValue < AppTable.deviceBound else { return }
        let (first, tag) = (Self.first(of: address), Self.tag(of: address))
        // Its own slot, or a free one, or whichever the id falls on.
        var chosen = first + Int(truncatingIfNeeded: id.rawValue) & (Self.slotsPerSet - 1)
        for slot in first..<first + Self.slotsPerSet {
            let word = words[slot]
            guard word == 0 || word >> Self.idBits == tag else { continue }
            chosen = slot
            break
        }
        words[chosen] = tag << Self.idBits | id.rawValue
    }

    /// The first slot of its set.
    @inline(__always)
    private static func first(of address: AddressDigest) -> Int {
        Int(truncatingIfNeeded: address.head & UInt64(sets - 1)) * slotsPerSet
    }

    /// How it is told from its neighbours.
    @inline(__always)
    private static func tag(of address: AddressDigest) -> UInt64 { address.head >> UInt64(idBits) }
}
