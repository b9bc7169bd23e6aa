import CarillonCore
import CarillonLMDB

/// The token index as the writer sees it: the table `addresses`, its new rows that are still to be written, and the
/// filter and the cache of bulk ingest, kept equal.
///
/// It belongs to the writer thread. Rows and caches live between transactions, are written before each commit by
/// `flush`, and are dropped when a transaction is aborted.
final class TokenIndex {
    private let tables: Tables
    /// The new rows that are still to be written.
    var bufferedRows = BufferedAddresses()
    /// The recent row that was moved last; nil before the first.
    private var lastMovedRow: AddressTable.RowKey?
    /// The filter that says which addresses are certainly new, once it is complete.
    var filter = TokenBloomFilter()
    /// The cache address → device; nil except during bulk ingest.
    var cache: TokenIndexCache?
    private let cacheSets: Int
    /// The most rows that may be recent.
    private let maximumRecentRows: Int

    /// The number of rows that are moved together: about a millisecond.
    private static let rowsMovedAtOnce = 1_024

    init(tables: Tables, limits: LMDBRegistry.BulkIngestLimits) {
        self.tables = tables
        cacheSets = limits.tokenIndexSets
        maximumRecentRows = limits.recentAddresses
    }

    // MARK: Changes

    /// Stores the device of an address, or that it has a tombstone.
    func put(
        _ entry: AddressRow, at address: AddressDigest, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        filter.insert(address)
        switch entry {
        case .device(let id): cache?.insert(id, at: address, app: app)
        case .tombstone: cache?.remove(address, app: app)
        }
        if bufferedRows.replace(address, app: app, by: entry) { return }
        try tables.addresses.put(entry, for: address, app: app, in: &transaction)
    }

    /// Removes an address.
    func delete(_ address: AddressDigest, app: AppNumber, in transaction: inout WriteTransaction) throws {
        cache?.remove(address, app: app)
        if bufferedRows.replace(address, app: app, by: nil) { return }
        try tables.addresses.delete(address, app: app, in: &transaction)
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
        tables.addresses.expectRecentRow(in: &transaction)
        bufferedRows.insert(id, at: digest, app: app)
        cache?.insert(id, at: digest, app: app)
        try moveRecentRows(in: &transaction)
        return nil
    }

    /// Moves some recent rows if there are too many.
    private func moveRecentRows(in transaction: inout WriteTransaction) throws {
        let recent = try tables.addresses.recentCount(in: transaction) + bufferedRows.count
        guard recent > maximumRecentRows else { return }
        lastMovedRow = try tables.addresses.moveRecentRows(
            after: lastMovedRow, limit: Self.rowsMovedAtOnce, in: &transaction)
    }

    // MARK: Lookups

    /// Returns the row of an address; nil if it has none.
    func row(
        of address: AddressDigest, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> AddressRow? {
        if let row = bufferedRows.row(of: address, app: app) { return row }
        return try tables.addresses.get(address, app: app, in: transaction)
    }

    /// Returns the state of an address; nil if it has none.
    func state(
        of address: DeviceAddress, digest: AddressDigest, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> AddressState? {
        try row(of: digest, app: app, in: transaction).map {
            try tables.state($0, of: address, app: app, in: transaction)
        }
    }

    /// Returns the device of an address, if the writer has it in memory; nil if only the table can tell.
    func knownDevice(at address: AddressDigest, app: AppNumber) -> DeviceID? {
        if let id = cache?.device(at: address, app: app) { return id }
        guard case .device(let id) = bufferedRows.row(of: address, app: app) else { return nil }
        return id
    }

    /// Returns the device that has an address; nil if no device has it.
    func device(
        at address: DeviceAddress, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> Device? {
        let digest = tables.digest(of: address, app: app)
        if let known = try cachedDevice(at: address, digest: digest, app: app, in: transaction) { return known }
        let device = try tables.device(
            at: address, app: app, cached: tables.tokenLookupCache.device(at: digest), in: transaction)
        if let device { cache?.insert(device.id, at: digest, app: app) }
        return device
    }

    /// Returns the device that has an address, if a cache knows it; nil if no cache knows it.
    func cachedDevice(
        at address: DeviceAddress, digest: AddressDigest, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> Device? {
        guard let id = knownDevice(at: digest, app: app) else {
            guard cache == nil else { return nil }
            return try tables.cachedDevice(at: address, digest: digest, app: app, in: transaction)
        }
        assert(
            tableAgrees(that: digest, belongsTo: id, app: app, in: transaction),
            "the token index cache differs from the table")
        return try tables.device(id, app: app, at: address, in: transaction)
    }

    /// Returns the device that the row of an address names, and adds it to the caches.
    func foundDevice(
        _ id: DeviceID, at address: DeviceAddress, digest: AddressDigest, app: AppNumber,
        in transaction: borrowing WriteTransaction
    ) throws -> Device {
        let device = try tables.device(id, app: app, at: address, in: transaction)
        cache?.insert(id, at: digest, app: app)
        tables.tokenLookupCache.insert(id, at: digest)
        return device
    }

    /// Returns the id of the device that has an address; nil if no device has it.
    func id(
        at address: DeviceAddress, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> DeviceID? {
        let digest = tables.digest(of: address, app: app)
        if let id = knownDevice(at: digest, app: app) {
            assert(
                tableAgrees(that: digest, belongsTo: id, app: app, in: transaction),
                "the token index cache differs from the table")
            return id
        }
        let id = try tables.id(at: address, digest: digest, app: app, in: transaction)
        if let id { cache?.insert(id, at: digest, app: app) }
        return id
    }

    /// Returns true if the table says that a device has an address. For debug builds.
    private func tableAgrees(
        that address: AddressDigest, belongsTo id: DeviceID, app: AppNumber, in transaction: borrowing WriteTransaction
    ) -> Bool {
        // Why try?: a row that cannot be read agrees with nothing.
        (try? row(of: address, app: app, in: transaction)) == .device(id)
    }

    // MARK: Transactions

    /// Writes the buffered rows. Call it before every commit.
    func flush(in transaction: inout WriteTransaction) throws {
        try bufferedRows.write(to: tables.addresses, in: &transaction)
    }

    /// Writes some of the buffered rows; returns true if there are more. Only reads may be run before the rest is
    /// written.
    func flushSome(in transaction: inout WriteTransaction) throws -> Bool {
        try bufferedRows.writeSome(to: tables.addresses, in: &transaction)
    }

    /// Drops rows and caches, because the transaction was aborted.
    func transactionAborted() {
        bufferedRows.removeAll()
        lastMovedRow = nil
        cache = nil
        // The filter may have read the table while rows were removed that are there again now.
        if !filter.isGivenUp { filter = TokenBloomFilter() }
    }

    // MARK: Bulk ingest

    /// Reads the next rows of `addresses` into the filter and the cache, because bulk ingest has begun, or goes on.
    func extendCaches(in transaction: inout WriteTransaction) throws {
        if cache == nil { cache = TokenIndexCache(sets: cacheSets) }
        // A filter that begins reads the table, so the buffered rows must be in it.
        if !filter.hasBegun, !filter.isGivenUp { try flush(in: &transaction) }
        try filter.extend(from: tables.addresses, in: transaction) { row in
            guard let cache, cache.room > 0, case .device(let device) = row.entry else { return }
            cache.insert(device, at: row.rowKey.address, app: row.rowKey.app)
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
