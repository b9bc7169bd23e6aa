import CarillonCore
import Testing

/// The texts of the errors of a registry, which operators read.
struct RegistryErrorTests {
    @Test func aDirectoryInUseIsNamed() {
        #expect(RegistryError.inUse("/data").description == "data directory /data is in use by another process")
    }
}
