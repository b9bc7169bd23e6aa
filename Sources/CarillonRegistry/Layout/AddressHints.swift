import CarillonCore

/// Which device was found at an address lately: a way to its record without one through `addresses`, whose pages are cold as soon
/// as there are many devices.
///
/// A hint says nothing by itself. It is believed only if the device's record, in the snapshot of who asks, bears the address: then
/// `addresses` says the same. So an old hint costs a look and can do no harm, and no lock keeps readers apart.
///
/// It takes 16 MiB at most, for two million addresses, and only what is used of that. The ones used last drive out others.
struct AddressHints: Sendable {
    /// A cache line of them: whoever looks for one has all of its neighbours.
    private static let slotsPerSet = 8
    private static let sets = 1 << 18
    /// What is left of a word for the tag.
    private static let idBits = AppTable.deviceBound.trailingZeroBitCount

    /// Words of a tag, which is a part of the address' hash, and the id; 0 is none. Nothing if there is no memory for them.
    private let words = AtomicWords(count: sets * slotsPerSet)

    /// The device that may hold an address.
    @inline(__always)
    func device(at address: DeviceAddress, _ app: AppNumber) -> DeviceID? {
        device(at: Place(address, app))
    }

    /// The device that may hold the address of a place.
    @inline(__always)
    func device(at place: Place) -> DeviceID? {
        guard let words else { return nil }
        for slot in place.first..<place.first + Self.slotsPerSet {
            let word = words[slot]
            if word != 0, word >> Self.idBits == place.tag {
                return DeviceID(rawValue: word & (AppTable.deviceBound - 1))
            }
        }
        return nil
    }

    /// Asks the processor for the hints of a place.
    @inline(__always)
    func prefetch(_ place: Place) {
        words?.prefetch(place.first)
    }

    /// Takes note of the device that holds an address.
    func note(_ id: DeviceID, at address: DeviceAddress, _ app: AppNumber) {
        guard let words, id.rawValue < AppTable.deviceBound else { return }
        let place = Place(address, app)
        // Its own slot, or a free one, or whichever the id falls on.
        var chosen = place.first + Int(truncatingIfNeeded: id.rawValue) & (Self.slotsPerSet - 1)
        for slot in place.first..<place.first + Self.slotsPerSet {
            let word = words[slot]
            guard word == 0 || word >> Self.idBits == place.tag else { continue }
            chosen = slot
            break
        }
        words[chosen] = place.tag << Self.idBits | id.rawValue
    }

    /// Where the hint of an address is, and how it is told from its neighbours.
    struct Place {
        fileprivate let first: Int
        fileprivate let tag: UInt64

        @inline(__always)
        init(_ address: DeviceAddress, _ app: AppNumber) {
            let hash = AddressHash.of(address, app)
            first = Int(truncatingIfNeeded: hash & UInt64(sets - 1)) * slotsPerSet
            tag = hash >> UInt64(idBits)
        }
    }
}
