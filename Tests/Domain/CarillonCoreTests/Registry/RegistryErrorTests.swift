import CarillonCore
import Testing

/// The texts of the errors of a registry, which operators read.
struct RegistryErrorTests {
    @Test func `a directory in use is named`() {
        #expect(RegistryError.inUse("/data").description == "data directory /data is in use by another process")
    }
}
