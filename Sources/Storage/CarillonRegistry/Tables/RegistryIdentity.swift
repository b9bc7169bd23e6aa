import CarillonCore
import CarillonLMDB

/// The identity of the data of one registry.
struct RegistryIdentity {
    /// The epoch, which clients compare (Protocol 6.1).
    let epoch: UUIDBytes
    /// The key of the digests of addresses.
    let secret: AddressSecret

    static func random() -> Self { RegistryIdentity(epoch: .random(), secret: .random()) }

    /// The parameters that all replicas of a shared log have in common (``InitialState/parameters``): the epoch, and
    /// the secret with its check.
    var parameters: [UInt8] {
        ByteWriter.bytes(capacity: 16 + AddressSecret.byteCount) {
            $0.append(epoch)
            secret.append(to: &$0)
        }
    }
}

extension RegistryIdentity {
    /// Reads the identity of a database.
    ///
    /// - Throws: `.corrupted` if it was not made by this schema.
    init(of environment: LMDBEnvironment) throws {
        guard let meta = try MetaTable(in: environment) else {
            throw RegistryError.corrupted("meta: it is missing, this is not a registry")
        }
        self = try environment.read { transaction in
            guard let schema = try meta.schema(in: transaction) else {
                throw RegistryError.corrupted("meta: no schema")
            }
            return try RegistryIdentity(meta, schema: schema, in: transaction)
        }
    }

    /// Reads the identity of a database that has this schema.
    init(_ meta: MetaTable, schema: UInt32, in transaction: borrowing some Transaction & ~Copyable) throws {
        guard schema == MetaTable.schema else {
            throw RegistryError.corrupted("meta: schema \(schema), this program reads \(MetaTable.schema)")
        }
        guard let identity = try meta.identity(in: transaction) else {
            throw RegistryError.corrupted("meta: no epoch, or no secret")
        }
        self = identity
    }

    /// Reads the identity from ``parameters``.
    init(parameters: [UInt8]) throws {
        self = try ByteReader.read(parameters.span, of: "initial state of the shared log") {
            RegistryIdentity(epoch: try $0.uuid(), secret: try AddressSecret(&$0))
        }
    }
}
