import CarillonCommandLine
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

/// The signal handlers for a corrupt database file and for interruptions.
///
/// The file is mapped into memory, so a missing page, as in a truncated file, raises a signal instead of an error.
enum SignalHandlers {
    private static let damage: StaticString =
        "carillon-dump: the database is damaged: a page is missing or wrong. Use a backup.\n"
    private static let interruption: StaticString = "carillon-dump: interrupted\n"

    private static let installed: Void = {
        for number in [SIGBUS, SIGSEGV, SIGABRT] {
            signal(number) { _ in SignalHandlers.end(saying: SignalHandlers.damage, with: .damaged) }
        }
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in SignalHandlers.end(saying: SignalHandlers.interruption, with: .interrupted) }
        }
    }()

    /// Installs the handlers. A signal ends the process with a sentence, after removing its staging directory and
    /// unfinished export.
    static func install() { installed }

    /// Ends the process. It only calls functions that are safe in a signal handler.
    private static func end(saying text: StaticString, with status: ExitStatus) {
        _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
        CleanupOnExit.removeAll()
        _exit(status.rawValue)
    }
}
