import Glibc

/// How often each device was pushed to, and which (device, id) pairs were seen, in open-addressing tables.
///
/// 100 to 400 bytes a device, and 16 to 64 for each of its pushes with an id after the first. `World` guards it.
struct Ledger: ~Copyable {
    private struct Entry {
        var token: DeviceToken
        /// 0 in an empty place.
        var count: UInt32
        /// The pair of the first push, or 0 if it had no id: most devices have only one.
        var firstPair: UInt64
    }

    private(set) var accepted = 0
    /// Pushes whose (token, apns-id) was accepted before.
    private(set) var duplicates = 0
    private(set) var devices = 0
    // Plain memory: nothing of it is shared, and it is touched once for each push.
    private var entries = Ledger.emptyEntries(1 << 10)
    /// Hashes of the pairs seen that are no device's first; 0 is an empty place.
    private var pairs = Ledger.emptyPairs(1 << 10)
    private var pairCount = 0

    /// Above this number of pairs no new ones are kept, and duplicates of those are not counted.
    private static let maxPairs = 1 << 25
    private static let maxDevices = 1 << 24

    init() {}

    deinit {
        entries.deallocate()
        pairs.deallocate()
    }

    /// Counts an accepted push; `id` is what the client named it, if it did.
    mutating func record(_ token: DeviceToken, id: UnsafeRawBufferPointer?) {
        accepted += 1
        if devices * 2 >= entries.count, devices < Ledger.maxDevices { growEntries() }
        let hash = token.hashValue64
        let pair = id.map { max(1, hash64($0, seed: hash)) } ?? 0
        let place = place(of: token, hash)
        if entries[place].count > 0 {
            entries[place].count += 1
            if pair == 0 { return }
            if pair == entries[place].firstPair { duplicates += 1 } else { insert(pair: pair) }
        } else if devices < Ledger.maxDevices {
            entries[place] = Entry(token: token, count: 1, firstPair: pair)
            devices += 1
        } else if pair != 0 {
            insert(pair: pair)
        }
    }

    /// Where a token is, or the empty place where it would be.
    private func place(of token: DeviceToken, _ hash: UInt64) -> Int {
        let mask = entries.count - 1
        var index = Int(truncatingIfNeeded: hash) & mask
        while entries[index].count > 0, entries[index].token != token { index = (index + 1) & mask }
        return index
    }

    private mutating func insert(pair: UInt64) {
        if pairCount * 2 >= pairs.count, pairCount < Ledger.maxPairs { growPairs() }
        let mask = pairs.count - 1
        var index = Int(truncatingIfNeeded: pair) & mask
        while pairs[index] != 0 {
            if pairs[index] == pair {
                duplicates += 1
                return
            }
            index = (index + 1) & mask
        }
        guard pairCount < Ledger.maxPairs else { return }
        pairs[index] = pair
        pairCount += 1
    }

    private mutating func growEntries() {
        let old = entries
        entries = Ledger.emptyEntries(old.count * 4)
        for entry in old where entry.count > 0 { entries[place(of: entry.token, entry.token.hashValue64)] = entry }
        old.deallocate()
    }

    private mutating func growPairs() {
        let old = pairs
        pairs = Ledger.emptyPairs(old.count * 4)
        let mask = pairs.count - 1
        for pair in old where pair != 0 {
            var index = Int(truncatingIfNeeded: pair) & mask
            while pairs[index] != 0 { index = (index + 1) & mask }
            pairs[index] = pair
        }
        old.deallocate()
    }

    /// Each push touches a place at random: on large pages that does not cost a look into the page tables as well.
    private static func emptyEntries(_ count: Int) -> UnsafeMutableBufferPointer<Entry> {
        let size = count * MemoryLayout<Entry>.stride
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 2 << 20)
        // Why ignored: where there are no large pages the small ones do.
        _ = madvise(memory, size, MADV_HUGEPAGE)
        let start = memory.bindMemory(to: Entry.self, capacity: count)
        let entries = UnsafeMutableBufferPointer(start: start, count: count)
        entries.initialize(repeating: Entry(token: .none, count: 0, firstPair: 0))
        return entries
    }

    private static func emptyPairs(_ count: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let pairs = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: count)
        pairs.initialize(repeating: 0)
        return pairs
    }

    /// How many pushes to `token` were accepted.
    func count(of token: DeviceToken) -> Int { Int(entries[place(of: token, token.hashValue64)].count) }

    func forEachDevice(_ body: (DeviceToken, Int) -> Void) {
        for entry in entries where entry.count > 0 { body(entry.token, Int(entry.count)) }
    }
}
