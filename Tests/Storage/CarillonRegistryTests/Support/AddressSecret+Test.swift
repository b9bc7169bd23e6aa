@testable import CarillonRegistry

extension AddressSecret {
    /// The key of digests where no database has made one.
    static let test = AddressSecret(first: 1, second: 2)
}
