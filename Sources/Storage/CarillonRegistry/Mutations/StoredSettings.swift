import CarillonCore
import CarillonLMDB

/// The stored settings, which stay in memory once they were read. It belongs to the writer thread.
final class StoredSettings {
    private let tables: Tables
    /// The settings; nil until they are read.
    private var known: RegistrySettings?

    init(tables: Tables) { self.tables = tables }

    /// Returns the settings that are stored; the defaults if none are.
    func get(in transaction: borrowing WriteTransaction) throws -> RegistrySettings {
        if let known { return known }
        let stored = try tables.meta.settings(in: transaction) ?? RegistrySettings()
        known = stored
        return stored
    }

    /// Replaces the settings. If a retention is shorter than before, the next sweeps remove the rows that are now due.
    func put(_ settings: RegistrySettings, in transaction: inout WriteTransaction) throws {
        try tables.meta.putSettings(settings, in: &transaction)
        known = settings
    }

    /// Forgets the settings, because the transaction was aborted.
    func transactionAborted() { known = nil }
}
