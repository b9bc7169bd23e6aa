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
    /// Reads the identity from ``parameters``.
    init(parameters: [UInt8]) throws {
        self = try ByteReader.read(parameters.span, of: "initial state of the shared log") {
            RegistryIdentity(epoch: try $0.uuid(), secret: try AddressSecret(&$0))
        }
    }
}
