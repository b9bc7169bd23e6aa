import Glibc

/// The responses to each device's pushes, and the accepted (device, id) pairs, in open-addressing tables.
///
/// The history takes 110 to 450 bytes a device, and 16 to 64 for each of its pushes with an id after the first. The
/// lock of `SimulatedAPNs` protects it.
struct DeliveryHistory: ~Copyable {
    private struct Entry {
        var token: RawToken
        var record: Record
        /// The pair of the first push that was accepted; 0 if it had no id. Most devices have only one pair.
        var firstPair: UInt64
    }

    /// The counts of one device.
    struct Record: Equatable {
        var acceptedCount: UInt32 = 0
        var refusedCount: UInt32 = 0
        /// The status of the last refusal; 0 if no push was refused.
        var lastRefusalStatus: UInt16 = 0

        /// True if the slot is free.
        fileprivate var isEmpty: Bool { acceptedCount == 0 && refusedCount == 0 }
    }

    private struct Pending {
        var token: RawToken
        var hash: UInt64
        var pair: UInt64
    }

    private(set) var acceptedCount = 0
    /// The number of pushes whose (token, apns-id) was accepted before.
    private(set) var duplicateCount = 0
    /// The number of devices that accepted a push.
    private(set) var deviceCount = 0
    /// The number of devices with any push.
    private var entryCount = 0
    // Plain memory: it is not shared, and each push accesses it once.
    private var entries = DeliveryHistory.emptyEntries(1 << 10)
    /// The hashes of the accepted pairs that are not the first of a device. 0 is a free slot.
    private var pairs = DeliveryHistory.emptyPairs(1 << 10)
    private var pairCount = 0
    /// The accepted pushes that are not in the table yet.
    private let pending = UnsafeMutableBufferPointer<Pending>.allocate(capacity: DeliveryHistory.maximumPending)
    private var pendingCount = 0
    /// The sum of the values that were prefetched, which is not used.
    private var readAhead: UInt64 = 0

    /// The most pairs. Further ones are not kept, and their duplicates are not counted.
    private static let maximumPairs = 1 << 25
    private static let maximumDevices = 1 << 24
    private static let maximumPending = 64

    init() {}

    deinit {
        DeliveryHistory.free(entries)
        pairs.deallocate()
        pending.deallocate()
    }

    /// Removes everything and keeps the capacity, because a client begins again with as many devices after a reset.
    mutating func removeAll() {
        acceptedCount = 0
        duplicateCount = 0
        deviceCount = 0
        entryCount = 0
        pairCount = 0
        pendingCount = 0
        UnsafeMutableRawBufferPointer(entries).initializeMemory(as: UInt8.self, repeating: 0)
        pairs.update(repeating: 0)
    }

    /// Counts an accepted push at once. `id` is the client's `apns-id`, nil if it sent none.
    mutating func record(_ token: RawToken, id: UnsafeRawBufferPointer?) {
        enqueue(token, id: id)
        flush()
    }

    /// Counts an accepted push like `record`, at the latest at the next `flush`.
    mutating func enqueue(_ token: RawToken, id: UnsafeRawBufferPointer?) {
        let hash = token.hashValue64
        let pair = id.map { max(1, hash64($0, seed: hash)) } ?? 0
        pending[pendingCount] = Pending(token: token, hash: hash, pair: pair)
        pendingCount += 1
        if pendingCount == DeliveryHistory.maximumPending { flush() }
    }

    /// Counts all enqueued pushes.
    ///
    /// Their slots are anywhere in a large table. All are read before the first is needed, so that the processor waits
    /// for their memory at the same time and not one after the other.
    mutating func flush() {
        let mask = entries.count - 1
        for push in pending[..<pendingCount] {
            readAhead &+= entries[Int(truncatingIfNeeded: push.hash) & mask].firstPair
        }
        for push in pending[..<pendingCount] { count(push.token, hash: push.hash, pair: push.pair) }
        pendingCount = 0
    }

    private mutating func count(_ token: RawToken, hash: UInt64, pair: UInt64) {
        acceptedCount += 1
        guard let slot = makeSlot(for: token, hash) else {
            if pair != 0 { insert(pair: pair) }
            return
        }
        entries[slot].record.acceptedCount &+= 1
        if entries[slot].record.acceptedCount == 1 {
            deviceCount += 1
            entries[slot].firstPair = pair
        } else if pair != 0 {
            if pair == entries[slot].firstPair { duplicateCount += 1 } else { insert(pair: pair) }
        }
    }

    mutating func recordRefusal(_ token: RawToken, status: UInt16) {
        guard let slot = makeSlot(for: token, token.hashValue64) else { return }
        entries[slot].record.refusedCount &+= 1
        entries[slot].record.lastRefusalStatus = status
    }

    /// Returns the slot of a token, and makes it if it is new; nil if there is no room for more devices.
    private mutating func makeSlot(for token: RawToken, _ hash: UInt64) -> Int? {
        if entryCount * 2 >= entries.count, entryCount < DeliveryHistory.maximumDevices { growEntries() }
        let slot = findSlot(of: token, hash)
        guard entries[slot].record.isEmpty else { return slot }
        guard entryCount < DeliveryHistory.maximumDevices else { return nil }
        entryCount += 1
        entries[slot].token = token
        return slot
    }

    /// Returns the slot of a token, or the free slot for it.
    private func findSlot(of token: RawToken, _ hash: UInt64) -> Int {
        let mask = entries.count - 1
        var index = Int(truncatingIfNeeded: hash) & mask
        while !entries[index].record.isEmpty, entries[index].token != token { index = (index + 1) & mask }
        return index
    }

    private mutating func insert(pair: UInt64) {
        if pairCount * 2 >= pairs.count, pairCount < DeliveryHistory.maximumPairs { growPairs() }
        let mask = pairs.count - 1
        var index = Int(truncatingIfNeeded: pair) & mask
        while pairs[index] != 0 {
            if pairs[index] == pair {
                duplicateCount += 1
                return
            }
            index = (index + 1) & mask
        }
        guard pairCount < DeliveryHistory.maximumPairs else { return }
        pairs[index] = pair
        pairCount += 1
    }

    private mutating func growEntries() {
        let old = entries
        entries = DeliveryHistory.emptyEntries(old.count * 4)
        for entry in old where !entry.record.isEmpty {
            entries[findSlot(of: entry.token, entry.token.hashValue64)] = entry
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

    /// Returns zeroed memory of the kernel. A free slot is all zeros. Each push accesses a random slot, and large pages
    /// cause fewer misses in the translation cache.
    private static func emptyEntries(_ count: Int) -> UnsafeMutableBufferPointer<Entry> {
        let size = count * MemoryLayout<Entry>.stride
        guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            memory != MAP_FAILED
        else { fatalError("no memory for \(size) bytes of devices") }
        // Why ignored: without large pages, small ones work too.
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

    func record(of token: RawToken) -> Record { entries[findSlot(of: token, token.hashValue64)].record }

    /// The number of slots; most are free. It is the range of `forEachDevice`, and grows with the devices.
    var slotCount: Int { entries.count }

    /// Calls `body` for the devices in a range of slots. Each device is in one slot.
    func forEachDevice(in range: Range<Int>, _ body: (RawToken, Record) -> Void) {
        for entry in entries[range.clamped(to: entries.indices)] where !entry.record.isEmpty {
            body(entry.token, entry.record)
        }
    }
}
