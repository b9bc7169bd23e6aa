import Foundation

/// The staging directory and the unfinished output that must be removed when the process ends, also from a signal
/// handler. Their paths are prepared as C strings in advance.
enum CleanupOnExit {
    // Safety: written by the one thread that runs a command, before a handler is of interest; a handler only reads it,
    // and ends the process.
    private nonisolated(unsafe) static var files: [UnsafeMutablePointer<CChar>?] = []
    private nonisolated(unsafe) static var directory: UnsafeMutablePointer<CChar>?
    private nonisolated(unsafe) static var output: UnsafeMutablePointer<CChar>?

    /// Registers an output file with complete tokens, which is removed unless it is finished.
    static func register(output path: String) {
        SignalHandlers.install()
        output = strdup(path)
    }

    /// Unregisters the output, which is finished or removed.
    static func unregisterOutput() { output = nil }

    static func register(_ files: [String], directory: String) {
        SignalHandlers.install()
        Self.files = files.map { strdup($0) }
        Self.directory = strdup(directory)
    }

    /// Removes the directory and the output.
    ///
    /// The process has the rights with which they were made, with one exception: while the data directory is opened, it
    /// has the rights of the directory's owner. An output of root, which is still empty then, may stay.
    static func removeAll() {
        if let output { unlink(output) }
        removeDirectory()
    }

    /// Removes a directory, if it is the registered one.
    static func remove(directory path: String) {
        guard let directory, strcmp(directory, path) == 0 else { return }
        removeDirectory()
    }

    private static func removeDirectory() {
        guard let directory else { return }
        for file in files { if let file { unlink(file) } }
        rmdir(directory)
        Self.directory = nil
    }
}
