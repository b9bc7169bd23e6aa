import CCarillonLMDB

/// Makes the map larger, when asked or when a write finds it full.
extension LMDBEnvironment {
    /// Makes the map larger; a size at or below the present one changes nothing.
    ///
    /// Waits until every transaction of this process has ended, and lets no new one begin except brief reads.
    /// Sizes are rounded up to whole MiB. If the system refuses the new map the old one is gone as well: the
    /// LMDB environment then answers `.panic` to everything, and the process must stop.
    ///
    /// - Throws: `.badTransaction` inside a transaction, `.outOfMemory` if the system refuses, `.accessDenied` if the
    ///   LMDB environment is read-only.
    package func growMap(to bytes: Int) throws(LMDBError) {
        if isReadOnly { throw LMDBError(.accessDenied, operation: "growMap") }
        let mebibyte = 1 << 20
        let (sum, overflows) = bytes.addingReportingOverflow(mebibyte - 1)
        if bytes <= 0 || overflows { throw LMDBError(.invalidArgument, operation: "growMap") }
        let size = sum / mebibyte * mebibyte
        try gate.runAlone("growMap") { () throws(LMDBError) in
            guard try information().me_mapsize < size else { return }
            try setMapSize(size)
        }
    }

    /// Doubles the map, but not beyond `limit` bytes; returns false if it is as large already.
    ///
    /// - Throws: as ``growMap(to:)``.
    package func tryToGrowMap(upTo limit: Int) throws(LMDBError) -> Bool {
        let bytes = try space().mapBytes
        guard bytes < limit else { return false }
        let (twice, overflows) = bytes.multipliedReportingOverflow(by: 2)
        try growMap(to: overflows ? limit : min(twice, limit))
        return try space().mapBytes > bytes
    }

    /// Runs `body` in a write transaction, and again in another with a larger map as long as it is full and may grow.
    ///
    /// - Throws: as ``write(_:)``; `.mapFull` of a map of `limit` bytes.
    package func write<R>(growingTo limit: Int, _ body: (inout WriteTransaction) throws -> R) throws -> R {
        while true {
            do {
                return try write(body)
            } catch let error where LMDBError.Code.mapFull ~= error {
                guard try tryToGrowMap(upTo: limit) else { throw error }
            }
        }
    }

    /// Takes the size of the map over that another process has set.
    func adoptMapSize() throws(LMDBError) {
        try gate.runAlone("adoptMapSize") { () throws(LMDBError) in try setMapSize(0) }
    }

    func information() throws(LMDBError) -> MDB_envinfo {
        var info = MDB_envinfo()
        try LMDBError.check(mdb_env_info(handle, &info), "mdb_env_info")
        return info
    }

    /// Sets the size of the map. Called by ``TransactionGate/runAlone(_:_:)`` only: LMDB unmaps before it maps, and
    /// after a failure nothing may touch the map again (`mdb_env_set_mapsize` in `mdb.c`).
    private func setMapSize(_ bytes: Int) throws(LMDBError) {
        let result = mdb_env_set_mapsize(handle, bytes)
        if result != MDB_SUCCESS { gate.refuseAll() }
        try LMDBError.check(result, "mdb_env_set_mapsize")
    }
}
