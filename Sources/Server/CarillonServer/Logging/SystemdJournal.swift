import CarillonCore
import Glibc

/// The journal of systemd, as a reader of standard error.
package enum SystemdJournal {
    /// True if the variable JOURNAL_STREAM names standard error (systemd.exec(5)). A program that the service starts
    /// with another standard error inherits the variable.
    package static var readsStandardError: Bool {
        guard let variable = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: variable) == "\(status.st_dev):\(status.st_ino)"
    }
}
