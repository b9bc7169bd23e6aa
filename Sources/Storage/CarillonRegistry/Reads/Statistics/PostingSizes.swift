import CarillonCore
import CarillonLMDB
import Glibc

/// The size of the postings of a set on the disk.
package struct PostingSizes: Hashable, Sendable {
    package var devices = 0
    /// The number of chunks that have a device.
    package var chunks = 0
    /// The number of bytes of their keys and values.
    package var bytes = 0
    /// The number of pages that contain chunks of the set. A page that two sets share counts for both.
    package var pages = 0

    package init() {}
}

extension PostingSizes {
    /// Reads all postings of a set and measures them. A set that does not exist has no size.
    init(of set: SetName, app: AppID, tables: Tables, in transaction: borrowing ReadTransaction) throws {
        self.init()
        guard let app = try tables.apps.get(app, in: transaction)?.number,
            let number = try tables.sets.get(SetLabel(set), app: app, in: transaction)?.number
        else { return }
        var lastPage: UInt?
        try PostingTable.withKey(PostingTable.RowKey(app: app, set: number, chunk: 0)) { first in
            _ = try transaction.forEach(in: tables.postings.database, from: first) { key, value in
                let rowKey = try PostingTable.readKey(key)
                guard rowKey.app == app, rowKey.set == number else { return .stop }
                var bits = ChunkBits()
                try PostingTable.decode(value, into: &bits)
                devices += bits.count
                chunks += 1
                bytes += key.count + value.count
                // A chunk is shorter than a page, and lies on one page. The cursor leaves each page only once, for the
                // next page.
                let page = value.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) / Self.pageBytes }
                if page != lastPage { pages += 1 }
                lastPage = page
                return .proceed
            }
        }
    }

    /// The number of bytes of a page: LMDB takes the system's.
    private static var pageBytes: UInt { UInt(sysconf(CInt(_SC_PAGESIZE))) }
}
