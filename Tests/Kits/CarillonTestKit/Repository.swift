package import Foundation

/// The files of this repository, for tests that compare the program with its documents.
package enum Repository {
    /// The folder of the repository.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the place of a file, by its path from the root.
    package static func file(_ path: String) -> URL { root.appendingPathComponent(path) }
}
