import CCarillonLMDB

/// The space that an LMDB environment uses and has left.
package struct EnvironmentSpace: Sendable, Equatable {
    package let pageBytes: Int
    /// The size of the map in bytes: the limit of the data.
    package let mapBytes: Int
    /// The number of pages from the start of the file to the last one ever used, free ones included: it never shrinks.
    package let usedPages: Int
}

/// The state of an LMDB environment, for metrics and alarms.
package struct EnvironmentStatistics: Sendable, Equatable {
    package let space: EnvironmentSpace
    /// The number of the last committed transaction.
    package let lastTransaction: UInt64
    /// The number of slots in the reader table, for all processes together.
    package let maximumReaders: Int
    /// The number of slots that were ever used; idle pooled transactions hold one each.
    package let usedReaderSlots: Int
    /// The number of read transactions that are open now, in all processes.
    package let activeReaders: Int
    /// The number of the transaction that the oldest open reader sees; nil if no reader is open.
    package let oldestReaderTransaction: UInt64?

    /// The number of commits since the snapshot of the oldest open reader; 0 without readers.
    package var oldestReaderAgeInCommits: UInt64 {
        guard let oldestReaderTransaction, oldestReaderTransaction < lastTransaction else { return 0 }
        return lastTransaction - oldestReaderTransaction
    }
}

extension LMDBEnvironment {
    /// Returns the space that is used and left: cheap enough to be read before each commit.
    package func space() throws(LMDBError) -> EnvironmentSpace {
        try gate.enter(.read)
        defer { gate.leave(.read) }
        return try space(of: try information())
    }

    private func space(of info: MDB_envinfo) throws(LMDBError) -> EnvironmentSpace {
        var stat = MDB_stat()
        try LMDBError.check(mdb_env_stat(handle, &stat), "mdb_env_stat")
        return EnvironmentSpace(
            pageBytes: Int(stat.ms_psize), mapBytes: info.me_mapsize, usedPages: info.me_last_pgno + 1)
    }

    /// Returns statistics that cost no reading of pages; ``countFreePages()`` tells how many of the used pages are free
    /// again.
    package func statistics() throws(LMDBError) -> EnvironmentStatistics {
        try gate.enter(.read)
        defer { gate.leave(.read) }
        let info = try information()
        let readers = try listReaders()
        return EnvironmentStatistics(
            space: try space(of: info),
            lastTransaction: UInt64(info.me_last_txnid),
            maximumReaders: Int(info.me_maxreaders),
            usedReaderSlots: Int(info.me_numreaders),
            activeReaders: readers.count,
            oldestReaderTransaction: readers.min()
        )
    }

    /// Returns the number of pages in the free list: they were used once, and are free for new data as soon as no older
    /// reader is open.
    ///
    /// Reads one record for each commit that freed pages and whose pages are not taken yet: usually well under a
    /// millisecond, more after a long reader.
    package func countFreePages() throws -> Int {
        try read { transaction in
            // Database 0 is LMDB's free list: each value begins with the number of its pages, as a machine word.
            var pages = 0
            try transaction.forEach(in: Database(id: 0), from: [UInt8]().span) { _, value in
                guard value.count >= MemoryLayout<Int>.size else {
                    throw LMDBError(.corrupted, operation: "countFreePages")
                }
                let count = value.withUnsafeBytes { $0.loadUnaligned(as: UInt.self) }
                let (sum, overflows) = pages.addingReportingOverflow(Int(clamping: count))
                if overflows { throw LMDBError(.corrupted, operation: "countFreePages") }
                pages = sum
                return .proceed
            }
            return pages
        }
    }

    /// Frees the reader slots of processes that died, and returns the number of these slots. Call it every minute or
    /// so.
    @discardableResult
    package func clearDeadReaders() throws(LMDBError) -> Int {
        var dead: CInt = 0
        try LMDBError.check(mdb_reader_check(handle, &dead), "mdb_reader_check")
        return Int(dead)
    }

    /// Returns the transactions that open readers see. LMDB lists them only as text: lines of process, thread and
    /// transaction, where an idle slot has a `-` and the heading is not a number either.
    private func listReaders() throws(LMDBError) -> [UInt64] {
        var transactions: [UInt64] = []
        let result = withUnsafeMutablePointer(to: &transactions) { context in
            mdb_reader_list(
                handle,
                { line, context in
                    guard let line, let context else { return 0 }
                    let fields = String(cString: line).split(whereSeparator: \.isWhitespace)
                    if fields.count == 3, let transaction = UInt64(fields[2]) {
                        context.assumingMemoryBound(to: [UInt64].self).pointee.append(transaction)
                    }
                    return 0
                },
                context
            )
        }
        // The answer is the callback's last result, or below zero for an error.
        if result < 0 { throw LMDBError(.init(rawValue: result), operation: "mdb_reader_list") }
        return transactions
    }
}
