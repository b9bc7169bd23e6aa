import Glibc

/// The standard output, which is buffered if it is a pipe.
enum StandardOutput {
    /// Writes the text that is buffered.
    static func flush() { fflush(nil) }
}
