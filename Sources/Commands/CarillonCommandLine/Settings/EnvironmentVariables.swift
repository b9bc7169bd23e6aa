import CarillonCore
import CarillonSpelling

/// The environment variables of the command line tools: a misspelt one would otherwise have no effect, silently.
package enum EnvironmentVariables {
    private static let prefix = "CARILLON_"
    private static let known = ["SERVER", "API_KEY", "API_KEY_FILE", "CLI_CONFIG", "CONTEXT", "APP"]
    /// The variables that `--context` overrides.
    static let overriddenByContext = ["CARILLON_SERVER", "CARILLON_API_KEY", "CARILLON_API_KEY_FILE", "CARILLON_APP"]
    /// The variables of other programs that are near to the known ones, without their prefix.
    private static let similarOthers = ["CONFIG", "APPS", "API"]

    /// Returns the fault of the first variable that is nearly one of the known ones; nil if there is no such variable.
    ///
    /// Other variables with the prefix are no fault: the server's settings have it as well.
    package static func typo(in names: some Sequence<String>) -> String? {
        for name in names.sorted() {
            guard let word = name.removing(prefix: prefix).map(String.init), !known.contains(word),
                !similarOthers.contains(word)
            else { continue }
            guard let near = Spelling.nearest(to: word, among: known) else { continue }
            return "\(name) is not an environment variable of this program. Did you mean \(prefix)\(near)?"
        }
        return nil
    }
}
