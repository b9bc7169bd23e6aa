import CCarillonRevision

/// The version of all programs and client libraries, which are released together. The clients in other languages repeat
/// the version in files of their own.
package enum Version {
    /// The version. It is a beta until it has delivered real pushes for a while: see CHANGELOG.md.
    package static let number = "1.0.0-beta.1"

    /// The commit of the build in hexadecimal; `unknown` if the build was not told.
    package static let revision = String(cString: carillon_revision())

    /// Returns the output of `--version`.
    package static func line(_ program: String) -> String { "\(program) \(number) (revision \(revision))" }
}
