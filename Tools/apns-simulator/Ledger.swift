/// How often each device was pushed to, and which (device, id) pairs were seen, in open-addressing tables.
///
/// About 100 bytes a device and 16 a push with an id. Not `Sendable`: `World` guards it.
final class Ledger {
    private struct Entry {
        var token: DeviceToken
        var count: UInt32
    }

    private(set) var accepted = 0
    /// Pushes whose (token, apns-id) was accepted before.
    private(set) var duplicates = 0
    private var entries: [Entry?] = Array(repeating: nil, count: 1 << 10)
    private(set) var devices = 0
    /// Hashes of the pairs seen; 0 is an empty place.
    private var pairs: [UInt64] = Array(repeating: 0, count: 1 << 10)
    private var pairCount = 0

    /// Above this number of pairs no new ones are kept, and duplicates of those are not counted.
    private static let maxPairs = 1 << 25
    private static let maxDevices = 1 << 24

    /// Counts an accepted push; `id` is what the client named it, if it did.
    func record(_ token: DeviceToken, id: UnsafeRawBufferPointer?) {
        accepted += 1
        if devices * 2 >= entries.count, devices < Ledger.maxDevices { growEntries() }
        count(token)
        guard let id else { return }
        if pairCount * 2 >= pairs.count, pairCount < Ledger.maxPairs { growPairs() }
        insert(pair: max(1, hash64(id, seed: token.hashValue64)))
    }

    private func count(_ token: DeviceToken) {
        let mask = entries.count - 1
        var index = Int(truncatingIfNeeded: token.hashValue64) & mask
        while let entry = entries[index] {
            if entry.token == token {
                entries[index]?.count += 1
                return
            }
            index = (index + 1) & mask
        }
        guard devices < Ledger.maxDevices else { return }
        entries[index] = Entry(token: token, count: 1)
        devices += 1
    }

    private func insert(pair: UInt64) {
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

    private func growEntries() {
        let old = entries
        entries = Array(repeating: nil, count: old.count * 4)
        let mask = entries.count - 1
        for case let entry? in old {
            var index = Int(truncatingIfNeeded: entry.token.hashValue64) & mask
            while entries[index] != nil { index = (index + 1) & mask }
            entries[index] = entry
        }
    }

    private func growPairs() {
        let old = pairs
        pairs = Array(repeating: 0, count: old.count * 4)
        let mask = pairs.count - 1
        for pair in old where pair != 0 {
            var index = Int(truncatingIfNeeded: pair) & mask
            while pairs[index] != 0 { index = (index + 1) & mask }
            pairs[index] = pair
        }
    }

    /// How many pushes to `token` were accepted.
    func count(of token: DeviceToken) -> Int {
        let mask = entries.count - 1
        var index = Int(truncatingIfNeeded: token.hashValue64) & mask
        while let entry = entries[index] {
            if entry.token == token { return Int(entry.count) }
            index = (index + 1) & mask
        }
        return 0
    }

    func forEachDevice(_ body: (DeviceToken, Int) -> Void) {
        for case let entry? in entries { body(entry.token, Int(entry.count)) }
    }
}
