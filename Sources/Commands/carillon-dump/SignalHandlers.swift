import CarillonCommandLine
import Foundation

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
