package import CarillonCore
import CarillonLMDB

/// The settings that the registry stores.
extension LMDBRegistry {
    /// Returns the settings that are stored; the defaults if none are stored.
    package func settings() throws(RegistryError) -> RegistrySettings {
        try readCurrent { transaction, tables in try tables.meta.settings(in: transaction) ?? RegistrySettings() }
    }
}
