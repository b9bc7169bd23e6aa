import CarillonLMDB
import CarillonRegistryTestKit

@testable import CarillonRegistry

extension RegistryDirectory {
    /// Opens the registry. It makes no checkpoint by itself, so that its changes stay in the log, and it writes no
    /// record of its own.
    func openWithoutCheckpoints() throws -> LMDBRegistry {
        try open { options in
            (options.checkpoints.idleCommitMilliseconds, options.checkpoints.delayMilliseconds) =
                (3_600_000, 3_600_000)
            options.settings = nil
        }
    }

    /// Writes into the tables of the closed registry by hand.
    func edit(_ body: (inout WriteTransaction, Tables) throws -> Void) throws {
        var options = LMDBEnvironment.Options()
        options.mapBytes = 16 << 20
        let environment = try LMDBEnvironment(path: path, options: options)
        let tables = try Tables(environment, identity: RegistryIdentity(of: environment), ifMissing: .fail)
        try environment.write { try body(&$0, tables) }
    }
}
