import Glibc

/// What each device's pushes were answered, and which (device, id) pairs were accepted, in open-addressing tables.
///
/// 110 to 450 bytes a device, and 16 to 64 for each of its pushes with an id after the first. `SimulatorState` guards it.
struct DeliveryHistory: ~Copyable {
    private struct Entry {
        var token: DeviceToken
        var record: Record
        /// The pair of the first push accepted, or 0 if it had no id: most devices have only one.
        var firstPair: UInt64
    }

    /// What the pushes to one device were answered.
    struct Record: Equatable {
        /// Pushes accepted.
        var accepted: UInt32 = 0
        /// Pushes refused.
        var refused: UInt32 = 0
        /// The status of the last refusal; 0 if there was none.
        var lastRefusal: UInt16 = 0

        /// An empty place has no answers.
        fileprivate var isEmpty: Bool { accepted == 0 && refused == 0 }
    }

    private struct Waiting {
        var token: DeviceToken
        var hash: UInt64
        var pair: UInt64
    }

    private(set) var accepted = 0
    /// Pushes whose (token, apns-id) was accepted before.
    private(set) var duplicates = 0
    /// Devices that accepted a push.
    private(set) var devices = 0
    /// Devices that any push came for.
    private var known = 0
    // Plain memory: nothing of it is shared, and it is touched once for each push.
    private var entries = DeliveryHistory.emptyEntries(1 << 10)
    /// Hashes of the pairs seen that are no device's first; 0 is an empty place.
    private var pairs = DeliveryHistory.emptyPairs(1 << 10)
    private var pairCount = 0
    /// Accepted pushes that have not been entered yet.
    private let waiting = UnsafeMutableBufferPointer<Waiting>.allocate(capacity: DeliveryHistory.maxWaiting)
    private var waitingCount = 0
    /// What was read ahead; of no meaning.
    private var readAhead: UInt64 = 0

    /// Above this number of pairs no new ones are kept, and duplicates of those are not counted.
    private static let maxPairs = 1 << 25
    private static let maxDevices = 1 << 24
    private static let maxWaiting = 64

    init() {}

    deinit {
        DeliveryHistory.free(entries)
        pairs.deallocate()
        waiting.deallocate()
    }

    /// Forgets everything but how much room it took: who resets begins again with as many devices.
    mutating func removeAll() {
        (accepted, duplicates, devices, known, pairCount, waitingCount) = (0, 0, 0, 0, 0, 0)
        UnsafeMutableRawBufferPointer(entries).initializeMemory(as: UInt8.self, repeating: 0)
        pairs.update(repeating: 0)
    }

    /// Counts an accepted push; `id` is what the client named it, if it did.
    mutating func record(_ token: DeviceToken, id: UnsafeRawBufferPointer?) {
        note(token, id: id)
        settle()
    }

    /// Counts an accepted push as `record` does, by the next `settle` at the latest.
    mutating func note(_ token: DeviceToken, id: UnsafeRawBufferPointer?) {
        let hash = token.hashValue64
        let pair = id.map { max(1, hash64($0, seed: hash)) } ?? 0
        waiting[waitingCount] = Waiting(token: token, hash: hash, pair: pair)
        waitingCount += 1
        if waitingCount == DeliveryHistory.maxWaiting { settle() }
    }

    /// Enters all pushes noted.
    ///
    /// Their places are anywhere in a large table. They are read before any is needed, so that the processor waits for the
    /// memory of all at the same time and not of one after the other.
    mutating func settle() {
        let mask = entries.count - 1
        for push in waiting[..<waitingCount] {
            readAhead &+= entries[Int(truncatingIfNeeded: push.hash) & mask].firstPair
        }
        for push in waiting[..<waitingCount] { enter(push.token, push.hash, pair: push.pair) }
        waitingCount = 0
    }

    private mutating func enter(_ token: DeviceToken, _ hash: UInt64, pair: UInt64) {
        accepted += 1
        guard let place = makePlace(for: token, hash) else {
            if pair != 0 { insert(pair: pair) }
            return
        }
        entries[place].record.accepted &+= 1
        if entries[place].record.accepted == 1 {
            devices += 1
            entries[place].firstPair = pair
        } else if pair != 0 {
            if pair == entries[place].firstPair { duplicates += 1 } else { insert(pair: pair) }
        }
    }

    /// Counts a push that was refused with a status.
    mutating func refuse(_ token: DeviceToken, status: UInt16) {
        guard let place = makePlace(for: token, token.hashValue64) else { return }
        entries[place].record.refused &+= 1
        entries[place].record.lastRefusal = status
    }

    /// Where a token is, made if it is new; nil if there is no room for more devices.
    private mutating func makePlace(for token: DeviceToken, _ hash: UInt64) -> Int? {
        if known * 2 >= entries.count, known < DeliveryHistory.maxDevices { growEntries() }
        let place = place(of: token, hash)
        guard entries[place].record.isEmpty else { return place }
        guard known < DeliveryHistory.maxDevices else { return nil }
        known += 1
        entries[place].token = token
        return place
    }

    /// Where a token is, or the empty place where it would be.
    private func place(of token: DeviceToken, _ hash: UInt64) -> Int {
        let mask = entries.count - 1
        var index = Int(truncatingIfNeeded: hash) & mask
        while !entries[index].record.isEmpty, entries[index].token != token { index = (index + 1) & mask }
        return index
    }

    private mutating func insert(pair: UInt64) {
        if pairCount * 2 >= pairs.count, pairCount < DeliveryHistory.maxPairs { growPairs() }
        let mask = pairs.count - 1
        var index = Int(truncatingIfNeeded: pair) & mask
        while pairs[index] != 0 {
            if pairs[index] == pair {
                duplicates += 1
                return
            }
            index = (index + 1) & mask
        }
        guard pairCount < DeliveryHistory.maxPairs else { return }
        pairs[index] = pair
        pairCount += 1
    }

    private mutating func growEntries() {
        let old = entries
        entries = DeliveryHistory.emptyEntries(old.count * 4)
        for entry in old where !entry.record.isEmpty {
            entries[place(of: entry.token, entry.token.hashValue64)] = entry
        }
        DeliveryHistory.free(old)
    }

    private mutating func growPairs() {
        let old = pairs
        pairs = DeliveryHistory.emptyPairs(old.count * 4)
        let mask = pairs.count - 1
        for pair in old where pair != 0 {
            var index = Int(truncatingIfNeeded: pair) & mask
            while pairs[index] != 0 { index = (index + 1) & mask }
            pairs[index] = pair
        }
        old.deallocate()
    }

    /// Memory of the kernel's, which is all zeros: an empty place is. Each push touches a place at random: on large pages
    /// that does not cost a look into the page tables as well.
    private static func emptyEntries(_ count: Int) -> UnsafeMutableBufferPointer<Entry> {
        let size = count * MemoryLayout<Entry>.stride
        guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            memory != MAP_FAILED
        else { fatalError("no memory for \(size) bytes of devices") }
        // Why ignored: where there are no large pages the small ones do.
        _ = madvise(memory, size, MADV_HUGEPAGE)
        return UnsafeMutableBufferPointer(start: memory.bindMemory(to: Entry.self, capacity: count), count: count)
    }

    private static func free(_ entries: UnsafeMutableBufferPointer<Entry>) {
        munmap(entries.baseAddress, entries.count * MemoryLayout<Entry>.stride)
    }

    private static func emptyPairs(_ count: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let pairs = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: count)
        pairs.initialize(repeating: 0)
        return pairs
    }

    /// What the pushes to `token` were answered.
    func record(of token: DeviceToken) -> Record { entries[place(of: token, token.hashValue64)].record }

    /// Places for devices, most of them empty: what `forEachDevice` counts in. It grows with the devices.
    var places: Int { entries.count }

    /// Calls `body` for the devices in some of the places. No more than all places, once each, are all devices.
    func forEachDevice(in range: Range<Int>, _ body: (DeviceToken, Record) -> Void) {
        for entry in entries[range.clamped(to: entries.indices)] where !entry.record.isEmpty {
            body(entry.token, entry.record)
        }
    }
}
