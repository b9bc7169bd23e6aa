package import CarillonCore
import CarillonLMDB

/// A copy of the whole registry.
extension LMDBRegistry {
    /// Writes a consistent, durable copy of everything into `directory`, which must not hold a database yet, while a
    /// server goes on. It works like ``CarillonLMDB/LMDBEnvironment/copy(to:compacting:)``. The copy does not rely on a
    /// write-ahead log, and belongs to no cluster.
    ///
    /// - Throws: `.storageFailed`, also if the server was started again meanwhile: a start may drop the commit that is
    ///   being copied.
    package func copy(to directory: String, compacting: Bool) throws(RegistryError) {
        try copy(to: directory, compacting: compacting, keepsReplica: false)
    }

    /// Writes a compact copy, as ``copy(to:compacting:)`` does, that stays a replica of the cluster's log: a snapshot
    /// for another node.
    package func copyReplica(to directory: String) throws(RegistryError) {
        try copy(to: directory, compacting: true, keepsReplica: true)
    }

    private func copy(to directory: String, compacting: Bool, keepsReplica: Bool) throws(RegistryError) {
        try waitForCheckpoint()
        try withEnvironment { environment, tables in
            let startCount = try environment.read { try tables.meta.startCount(in: $0) }
            try environment.copy(to: directory, compacting: compacting)
            guard try environment.read({ try tables.meta.startCount(in: $0) }) == startCount else {
                throw RegistryError.storageFailed("the server was started again during the copy: copy again")
            }
            try OfflineDatabase(at: directory).detachLog(keepsReplica: keepsReplica)
        }
    }
}
