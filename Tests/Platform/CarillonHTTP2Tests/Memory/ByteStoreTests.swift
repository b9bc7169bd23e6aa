import Testing

@testable import CarillonHTTP2

/// The bytes of a store: they are collected up to a limit, in memory that is used again.
struct ByteStoreTests {
    /// Calls `body` with a store, and frees it.
    private func with(_ body: (inout ByteStore) throws -> Void) rethrows {
        var store = ByteStore()
        defer { store.free() }
        try body(&store)
    }

    private func append(_ count: Int, of byte: UInt8, to store: inout ByteStore, limit: Int) -> Bool {
        [UInt8](repeating: byte, count: count).withUnsafeBytes { store.append($0, limit: limit) }
    }

    private func write(_ bytes: [UInt8], to store: inout ByteStore, size: Int) {
        store.write(size) { memory in
            memory.copyBytes(from: bytes)
            return bytes.count
        }
    }

    @Test func `appended parts follow each other`() {
        with { store in
            #expect(store.count == 0)
            #expect(Array(store.bytes) == [])
            let areWhole = (1...200).map { append(7, of: $0, to: &store, limit: 1_400) }
            #expect(!areWhole.contains(false))
            #expect(Array(store.bytes) == (1...200).flatMap { [UInt8](repeating: $0, count: 7) })
            let isEmptyPartWhole = append(0, of: 0, to: &store, limit: 1_400)
            #expect(isEmptyPartWhole)
        }
    }

    @Test func `bytes beyond the limit are cut off`() {
        with { store in
            let areWhole = [
                append(100, of: 1, to: &store, limit: 130), append(31, of: 2, to: &store, limit: 130),
                append(1, of: 3, to: &store, limit: 130),
            ]
            #expect(areWhole == [true, false, false])
            #expect(Array(store.bytes) == [UInt8](repeating: 1, count: 100) + [UInt8](repeating: 2, count: 30))
        }
    }

    @Test func `written bytes replace the bytes before`() {
        with { store in
            _ = append(300, of: 1, to: &store, limit: 300)
            write([4, 5], to: &store, size: 10)
            #expect(Array(store.bytes) == [4, 5])
            write([UInt8](repeating: 6, count: 900), to: &store, size: 1_000)
            #expect(store.count == 900)
        }
    }

    @Test func `memory is kept up to a limit`() {
        with { store in
            _ = append(500, of: 1, to: &store, limit: 500)
            let first = store.memory.baseAddress
            let size = store.memory.count
            store.removeAll()
            #expect(store.count == 0)
            #expect(store.memory.baseAddress == first)
            store.removeAll(keepingAtMost: size)
            #expect(store.memory.baseAddress == first)
            store.removeAll(keepingAtMost: size - 1)
            #expect(store.memory.baseAddress == nil)
        }
    }
}
