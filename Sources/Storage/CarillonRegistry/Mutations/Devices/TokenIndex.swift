import CarillonCore
import CarillonLMDB

/// The token index as the writer sees it: the table `addresses`, its new rows that are still to be written, and the
/// filter and the cache of bulk ingest. Every change is made in all of them; only the filter keeps deleted addresses.
///
/// The words differ so. A *token* is the bytes that a provider gives out. An *address* (`DeviceAddress`) is a token
/// with its environment and kind, and its *digest* (``AddressDigest``) is the hash that stands for it in keys and in
/// memory. The *token index* finds the device of an address: ``AddressTable`` on disk, with an ``AddressRecord`` a row.
/// The *index cache* (``TokenIndexCache``) is exact and the writer's. The *lookup cache* (``TokenLookupCache``)
/// serves all reads and may be wrong, so the record of the device confirms its answer.
///
/// It belongs to the writer thread. The buffered rows are written before each commit by ``flush(in:)``. The filter and
/// the cache live on between transactions. When a transaction is aborted, what it may have put in is dropped.
///
/// A lookup has one of four answers: the row of an address (``row(of:app:in:)``), its row with the stored tombstone
/// (``state(of:digest:app:in:)``), the id of its device, or the record of its device. ``deviceInMemory(at:app:)`` and
/// ``deviceInCache(at:digest:app:in:)`` do not read the table: if they return nil, the address may have a device.
final class TokenIndex {
    private let tables: Tables
    var bufferedRows = BufferedAddresses()
    /// The recent row that was moved last; nil if the next move begins at the first recent row.
    private var lastMovedRow: AddressTable.RowKey?
    /// The filter that says which addresses are certainly new, once it is complete.
    var filter = TokenBloomFilter()
    /// The cache address → device; nil except during bulk ingest.
    var cache: TokenIndexCache?
    /// The number of buckets of the cache.
    private let cacheBuckets: Int
    /// The most rows that `recent` keeps. Rows above this number are moved into `addresses`.
    private let maximumRecentRows: Int

    /// The number of rows that are moved together: about a millisecond.
    private static let rowsPerMove = 1_024

    init(tables: Tables, limits: LMDBRegistry.BulkIngestLimits) {
        self.tables = tables
        cacheBuckets = limits.tokenIndexBuckets
        maximumRecentRows = limits.recentAddresses
    }

    // MARK: Changes

    func put(
        _ record: AddressRecord, at digest: AddressDigest, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        filter.insert(digest)
        switch record {
        case .device(let id): cache?.insert(id, at: digest, app: app)
        case .tombstone: cache?.remove(digest, app: app)
        }
        if bufferedRows.replaceIfPresent(digest, app: app, by: record) { return }
        try tables.addresses.put(record, for: digest, app: app, in: &transaction)
    }

    func delete(_ digest: AddressDigest, app: AppNumber, in transaction: inout WriteTransaction) throws {
        cache?.remove(digest, app: app)
        if bufferedRows.replaceIfPresent(digest, app: app, by: nil) { return }
        try tables.addresses.delete(digest, app: app, in: &transaction)
    }

    /// Gives a device an address at which nothing is stored. Returns nil if that was done; otherwise changes nothing
    /// and returns the stored state.
    func insertIfAbsent(
        _ id: DeviceID, at address: DeviceAddress, digest: AddressDigest, app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws -> AddressState? {
        if !filter.lacks(digest), let stored = try state(of: address, digest: digest, app: app, in: transaction) {
            return stored
        }
        filter.insert(digest)
        tables.addresses.countChangedPageOfRecentRow(in: &transaction)
        bufferedRows.insert(id, at: digest, app: app)
        cache?.insert(id, at: digest, app: app)
        try moveRecentRows(in: &transaction)
        return nil
    }

    /// Moves the next recent rows into `addresses`, if there are too many.
    private func moveRecentRows(in transaction: inout WriteTransaction) throws {
        let recent = try tables.addresses.recentCount(in: transaction) + bufferedRows.count
        guard recent > maximumRecentRows else { return }
        lastMovedRow = try tables.addresses.moveRecentRows(
            after: lastMovedRow, limit: Self.rowsPerMove, in: &transaction)
    }

    // MARK: Lookups

    func row(
        of digest: AddressDigest, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> AddressRecord? {
        if let row = bufferedRows.row(of: digest, app: app) { return row }
        return try tables.addresses.get(digest, app: app, in: transaction)
    }

    func state(
        of address: DeviceAddress, digest: AddressDigest, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> AddressState? {
        try row(of: digest, app: app, in: transaction).map {
            try tables.state($0, of: address, app: app, in: transaction)
        }
    }

    /// Returns the id of the device that has an address, if the writer has it in memory; nil if only the table can
    /// tell.
    func deviceInMemory(at digest: AddressDigest, app: AppNumber) -> DeviceID? {
        if let id = cache?.device(at: digest, app: app) { return id }
        guard case .device(let id) = bufferedRows.row(of: digest, app: app) else { return nil }
        return id
    }

    func device(
        at address: DeviceAddress, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> DeviceRecord? {
        let digest = tables.digest(of: address, app: app)
        if let known = try deviceInCache(at: address, digest: digest, app: app, in: transaction) { return known }
        let device = try tables.device(
            at: address, app: app, cached: tables.tokenLookupCache.device(at: digest), in: transaction)
        if let device { cache?.insert(device.id, at: digest, app: app) }
        return device
    }

    /// Returns the record of the device that has an address, if the writer has its id in memory, or the token lookup
    /// cache has it; nil if only the table can tell.
    func deviceInCache(
        at address: DeviceAddress, digest: AddressDigest, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> DeviceRecord? {
        if let id = deviceInMemory(at: digest, app: app) {
            assertTable(has: id, at: digest, app: app, in: transaction)
            return try tables.device(id, app: app, at: address, in: transaction)
        }
        // During bulk ingest an address that is not in the writer's cache is most likely new: no second cache is asked.
        return cache == nil ? try tables.cachedDevice(at: address, digest: digest, app: app, in: transaction) : nil
    }

    /// Reads the record of the device that has an address, and adds the device to the writer's cache and to the token
    /// lookup cache.
    ///
    /// - Parameter id: the device that the row of the address names.
    func fetchDevice(
        _ id: DeviceID, at address: DeviceAddress, digest: AddressDigest, app: AppNumber,
        in transaction: borrowing WriteTransaction
    ) throws -> DeviceRecord {
        let device = try tables.device(id, app: app, at: address, in: transaction)
        cache?.insert(id, at: digest, app: app)
        tables.tokenLookupCache.insert(id, at: digest)
        return device
    }

    func id(
        at address: DeviceAddress, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> DeviceID? {
        let digest = tables.digest(of: address, app: app)
        if let id = deviceInMemory(at: digest, app: app) {
            assertTable(has: id, at: digest, app: app, in: transaction)
            return id
        }
        let id = try tables.id(at: address, digest: digest, app: app, in: transaction)
        if let id { cache?.insert(id, at: digest, app: app) }
        return id
    }

    /// Checks in debug builds that the device that is in memory for an address is the one of its row.
    private func assertTable(
        has id: DeviceID, at digest: AddressDigest, app: AppNumber, in transaction: borrowing WriteTransaction
    ) {
        // Why try?: a row that cannot be read names no device.
        assert(
            (try? row(of: digest, app: app, in: transaction)) == .device(id),
            "the token index cache differs from the table")
    }

    // MARK: Transactions

    /// Writes the buffered rows. Call it before every commit.
    func flush(in transaction: inout WriteTransaction) throws {
        try bufferedRows.write(to: tables.addresses, in: &transaction)
    }

    /// Writes some of the buffered rows. Only reads may be run before the others are written.
    func flushSome(in transaction: inout WriteTransaction) throws -> Completeness {
        try bufferedRows.writeSome(to: tables.addresses, in: &transaction)
    }

    /// Drops rows and caches, because the transaction was aborted.
    func transactionAborted() {
        bufferedRows.removeAll()
        lastMovedRow = nil
        cache = nil
        // The abort may bring back rows that were missing when the filter read the table.
        if !filter.isGivenUp { filter = TokenBloomFilter() }
    }

    // MARK: Bulk ingest

    /// Reads the next rows of `addresses` into the filter and the cache, because bulk ingest has begun, or goes on.
    func extendCaches(in transaction: inout WriteTransaction) throws {
        if cache == nil { cache = TokenIndexCache(buckets: cacheBuckets) }
        // A filter that begins reads the table, so the buffered rows must be in it.
        if !filter.hasBegun, !filter.isGivenUp { try flush(in: &transaction) }
        try filter.extend(from: tables.addresses, in: transaction) { row in
            guard let cache, cache.freeSlotCount > 0, case .device(let device) = row.record else { return }
            cache.insert(device, at: row.rowKey.digest, app: row.rowKey.app)
        }
    }

    /// Releases the memory of bulk ingest, which has ended long ago.
    func releaseCaches() {
        cache = nil
        // A filter that was given up would be given up again.
        if !filter.isGivenUp { filter = TokenBloomFilter() }
        if bufferedRows.isEmpty { bufferedRows = BufferedAddresses() }
    }
}
