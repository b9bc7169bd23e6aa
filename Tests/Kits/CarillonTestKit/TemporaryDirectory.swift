import Foundation

/// A directory for the files of a test. It lives as long as the test that holds it.
package final class TemporaryDirectory: Sendable {
    /// The path of the directory. Nothing is there before the first file, or `make`.
    package let path: String

    /// Makes a directory object with a path that nothing has.
    package init() {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-test-\(UUID())").path
    }

    deinit {
        // Why try?: a directory left behind fails no test.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Makes the directory, if it is missing.
    package func make() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    package func file(_ name: String) -> String { path + "/" + name }

    /// Writes a file, and returns its path.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String = "file") throws -> String {
        let destination = file(name)
        let folder = URL(fileURLWithPath: destination).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: destination))
        return destination
    }

    @discardableResult
    package func write(_ text: String, to name: String = "file") throws -> String { try write(text.utf8, to: name) }
}
