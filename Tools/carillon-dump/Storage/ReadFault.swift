import CarillonCommandLine
import Foundation

/// What becomes of the process when a page of a damaged file cannot be read, or leads LMDB astray, or somebody interrupts it.
///
/// The file is mapped into memory: a part that is missing, as of a truncated file, is no error of a call but a signal.
enum ReadFault {
    private static let damage: StaticString =
        "carillon-dump: the database is damaged: a page is missing or leads nowhere. Use a backup.\n"
    private static let interruption: StaticString = "carillon-dump: interrupted\n"

    private static let once: Void = {
        for number in [SIGBUS, SIGSEGV, SIGABRT] {
            signal(number) { _ in ReadFault.end(ReadFault.damage, ExitStatus.damaged.rawValue) }
        }
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in ReadFault.end(ReadFault.interruption, ExitStatus.interrupted.rawValue) }
        }
    }()

    /// From now on a signal ends the process with a sentence, and without leaving a work directory or half an export behind.
    static func watch() { once }

    /// Calls nothing that a handler of a signal may not call.
    private static func end(_ text: StaticString, _ status: Int32) {
        _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
        Leftovers.removeAll()
        _exit(status)
    }
}
