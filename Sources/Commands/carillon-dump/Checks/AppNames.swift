import CarillonCore
import CarillonRegistry

/// The names of apps by number, for findings.
struct AppNames {
    private let names: [UInt32: AppID]

    /// Reads the apps of a registry. There are none if they cannot be read, which another check reports.
    init(_ registry: LMDBRegistry) {
        do throws(RegistryError) {
            names = try registry.appNumbers()
        } catch {
            names = [:]
        }
    }

    init(names: [UInt32: AppID]) {
        self.names = names
    }

    /// Returns the name of an app, or its number if the name is not known.
    subscript(number: UInt32) -> String { names[number]?.name ?? "app \(number)" }
}
