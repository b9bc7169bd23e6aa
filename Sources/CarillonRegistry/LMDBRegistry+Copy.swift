package import CarillonCore
import CarillonLMDB

/// A copy of the whole registry.
extension LMDBRegistry {
    /// Writes a consistent, durable copy of everything into `directory`, which must not hold a database yet, while a
    /// server goes on. It works like ``CarillonLMDB/LMDBEnvironment/copy(to:compacting:)``. The copy does not rely on a
    /// write-ahead log.
    ///
    /// - Parameter isSnapshot: true for a snapshot for another node of the cluster; otherwise the copy belongs to no
    ///   cluster.
    /// - Throws: `.storageFailed`, also if the server was started again meanwhile: a start may drop the commit that is
    ///   being copied.
    package func copy(
        to directory: String, compacting: Bool, isSnapshot: Bool = false
    ) throws(RegistryError) {
        try waitForCheckpoint()
        try withEnvironment { environment, tables in
            let starts = try environment.read { try tables.meta.starts(in: $0) }
            try environment.copy(to: directory, compacting: compacting)
            guard try environment.read({ try tables.meta.starts(in: $0) }) == starts else {
                throw RegistryError.storageFailed("the server was started again during the copy: copy again")
            }
            try Self.detachLog(at: directory, keepsReplica: isSnapshot)
        }
    }
}
