import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit

/// Sets for the suites that list them.
extension RegistryDirectory {
    /// Opens a registry: device 1 has five topics and the group `user/1`, which has two; device 2 has the topic `ba`.
    func openListed() throws -> LMDBRegistry {
        let registry = try open()
        let topics = ["a", "b", "ba", "bb", "c"]
        try registry.apply([
            .register(1, topics: topics, groups: ["user/1"]), .register(2, topics: ["ba"]),
            .subscribe(["b", "c"], groups: ["user/1"]),
        ])
        return registry
    }
}
