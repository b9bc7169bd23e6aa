import Glibc

/// The standard output, which a pipe makes wait for more.
enum StandardOutput {
    /// Writes what waits.
    static func flush() { fflush(nil) }
}
