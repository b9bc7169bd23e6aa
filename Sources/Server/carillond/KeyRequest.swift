import CarillonCore
import CarillonServer
import CarillonSpelling
import FoundationEssentials

/// The arguments of `make-key`: the principal, its apps and its roles.
struct KeyRequest: Equatable {
    let name: String
    /// The apps: bundle ids, or `*` for every app.
    let apps: [String]
    let roles: [String]
    /// The path of the file for the key; nil to print it.
    let file: String?
    /// True if the app or the role was not given, so that the entry must be edited.
    let hasPlaceholder: Bool

    /// The app of an entry for which none was given. It is an example, so that no app is granted by accident.
    private static let exampleApp = "com.example.game"

    /// Checks the arguments by the rules of the file of principals.
    init(name: String, apps: [String], roles: [String], file: String?) throws(UsageError) {
        guard PrincipalsFile.isName(name) else {
            throw UsageError("the name of a principal has 1 to 255 bytes, this one has \(name.utf8.count)")
        }
        for app in apps where app != "*" && AppID(app) == nil {
            throw UsageError(
                "'\(app)' is not an app: a bundle id has 1 to 155 letters, digits, '.' and '-'; * is every app")
        }
        let known = Roles.named.map(\.name)
        for role in roles where !known.contains(role) {
            let hint = Spelling.nearest(to: role, among: known).map { "Did you mean '\($0)'?" }
            throw UsageError(
                "there is no role '\(role)'. \(hint ?? "There are \(known.joined(separator: ", ")).")")
        }
        for (option, values) in [("--app", apps), ("--role", roles)] where Set(values).count < values.count {
            throw UsageError("\(option) is given twice with the same value")
        }
        self.name = name
        self.apps = apps.isEmpty ? [Self.exampleApp] : apps
        self.roles = roles.isEmpty ? ["send"] : roles
        self.file = file
        hasPlaceholder = apps.isEmpty || roles.isEmpty
    }

    /// Returns the entry for the file of principals, on one line.
    func entry(sha256: String) throws -> String {
        let roles = try roles.map(quoted).joined(separator: ", ")
        let grants = try apps.map { "{\"app\": \(try quoted($0)), \"roles\": [\(roles)]}" }
        return """
            {"name": \(try quoted(name)), "keySHA256": ["\(sha256)"], "grants": [\(grants.joined(separator: ", "))]}
            """
    }

    private func quoted(_ text: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: try encoder.encode(text), as: UTF8.self)
    }
}
