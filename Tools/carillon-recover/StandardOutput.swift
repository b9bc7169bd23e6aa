import Glibc

/// The standard output, which is buffered if it is a pipe.
enum StandardOutput {
    static func flush() { fflush(nil) }
}
