import Glibc

/// Writes a line to standard error.
func printError(_ line: String) {
    _ = (line + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
}
