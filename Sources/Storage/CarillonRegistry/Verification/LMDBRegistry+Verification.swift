package import CarillonCore
import CarillonLMDB

/// The check of everything stored.
extension LMDBRegistry {
    /// Checks everything stored against everything else. A sound registry has no findings.
    ///
    /// Reads all of it in one snapshot: for a quiet registry, or a copy.
    ///
    /// - Throws: `.corrupted` for a record that cannot be read at all, `.storageFailed` for a failed read.
    package func verify() throws(RegistryError) -> [Finding] {
        try readAfterCheckpoint { transaction, tables in
            var verifier = Verifier(tables: tables)
            try verifier.run(in: transaction)
            return verifier.findings
        }
    }

    /// Checks the file itself, page by page and key by key, and then as ``verify()`` does. For a file without a writer.
    ///
    /// - Throws: as ``verify()``.
    package func verifyFile() throws(RegistryError) -> [Finding] {
        let findings = try withEnvironment { environment, tables in
            var findings: [Finding] = []
            let account = try environment.countPages(of: tables.databases.map(\.database))
            let found = account.inTrees + account.free
            if found != account.allocated {
                findings.append(.pagesDiffer(used: account.allocated, found: found))
            }
            try environment.read { transaction in
                for (name, database) in tables.databases where try !transaction.isInOrder(database) {
                    findings.append(.tableOutOfOrder(name))
                }
            }
            return findings
        }
        return findings + (try verify())
    }
}
