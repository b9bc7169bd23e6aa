import CarillonLMDB
import CarillonRegistryTestKit

@testable import CarillonRegistry

/// The tables of a registry that is closed, read and written by hand.
extension RegistryDirectory {
    /// Runs `body` on the environment and the tables.
    func edit(_ body: (LMDBEnvironment, Tables) throws -> Void) throws {
        var options = LMDBEnvironment.Options()
        options.mapBytes = 16 << 20
        let environment = try LMDBEnvironment(path: path, options: options)
        // Also where the schema is missing.
        let meta = MetaTable(database: try environment.openDatabase("meta"))
        let identity = try environment.read { (transaction) throws in try meta.identity(in: transaction) }
        try body(environment, try Tables(environment, identity: identity ?? .random(), ifMissing: .fail))
    }

    /// Makes the record of a device of the first app unreadable.
    func corruptDevice(_ id: UInt8) throws {
        try edit { environment, tables in
            try environment.write { transaction in
                let key: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, id]
                try transaction.put(([1, 9, 9] as [UInt8]).span, for: key.span, in: tables.devices.database)
            }
        }
    }

    /// Makes the memberships of a device unreadable.
    func corruptMembership(_ id: UInt8) throws {
        try edit { environment, tables in
            try environment.write { transaction in
                let key: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, id]
                try transaction.put(([9, 9] as [UInt8]).span, for: key.span, in: tables.memberships.database)
            }
        }
    }

    /// Copies the closed database without a table, as a program makes it that does not know the table.
    func copy(without table: String) throws -> RegistryDirectory {
        let copy = RegistryDirectory()
        var options = LMDBEnvironment.Options()
        options.createsDirectory = true
        let target = try LMDBEnvironment(path: copy.path, options: options)
        try edit { environment, tables in
            for (name, database) in tables.databases where name != table {
                let copied = try target.openDatabase(name, ifMissing: .create)
                try environment.read { reading in
                    try target.write { writing in
                        try reading.forEach(in: database, prefix: [UInt8]().span) { key, value in
                            try writing.put(value, for: key, in: copied)
                            return .proceed
                        }
                    }
                }
            }
        }
        return copy
    }

    /// Makes the record of a message unreadable.
    func corruptMessage(_ id: UInt8) throws {
        try edit { environment, tables in
            try environment.write { transaction in
                let key: [UInt8] = [0, 0, 0, 0, 0, 0, 0, id]
                try transaction.put(([99] as [UInt8]).span, for: key.span, in: tables.messages.database)
            }
        }
    }
}
