import CarillonLMDB
import CarillonRegistryTestKit

@testable import CarillonRegistry

extension RegistryDirectory {
    /// Stores the number of another schema; removes the secret if that schema had none.
    func setSchema(_ number: UInt8, withSecret: Bool = true) throws {
        try edit { environment, tables in
            try environment.write { transaction in
                try transaction.put([0, 0, 0, number].span, for: Array("schema".utf8).span, in: tables.meta.database)
                guard !withSecret else { return }
                _ = try transaction.delete(Array("secret".utf8).span, in: tables.meta.database)
            }
        }
    }
}
