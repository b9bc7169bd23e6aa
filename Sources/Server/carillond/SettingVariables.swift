import CarillonCore
import CarillonServer
import CarillonSpelling

/// The check of the names of environment variables. A misspelt one would otherwise have no effect, silently.
enum SettingVariables {
    private static let prefix = "CARILLON_"
    /// The variables of the command line tools.
    private static let toolVariables = [
        "CARILLON_SERVER", "CARILLON_API_KEY", "CARILLON_API_KEY_FILE", "CARILLON_CLI_CONFIG", "CARILLON_CONTEXT",
        "CARILLON_APP",
    ]

    /// Returns the variables with the prefix of settings that are no settings. They are no fault by themselves:
    /// Kubernetes, for example, sets CARILLON_PORT and others if a service is called carillon.
    ///
    /// - Throws: an error for a variable that is nearly the name of a setting.
    static func unknown(in names: some Sequence<String>) throws(SettingsError) -> [String] {
        let known = Setting.all.map(\.variable) + ["CARILLON_CONFIG"]
        let unknown = names.filter { name in
            name.hasPrefix(prefix) && !known.contains(name) && !toolVariables.contains(name)
        }.sorted()
        let unprefixed = known.compactMap { $0.removing(prefix: prefix).map(String.init) }
        for name in unknown {
            // A beginning of a name, as PORT of PORT_FILE, is not near enough.
            if let word = name.removing(prefix: prefix).map(String.init),
                let near = Spelling.nearest(to: word, among: unprefixed), !near.hasPrefix(word)
            {
                throw SettingsError(name, fault: "is not a setting. Did you mean \(prefix)\(near)?")
            }
        }
        return unknown
    }
}
