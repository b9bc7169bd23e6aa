import CarillonCommandLine

/// The help about exit statuses.
extension ExitStatus {
    /// The paragraph about exit statuses in `--help`.
    static let explanation = """
        Exit status:
          0  done
          1  refused by the server, or by the answer to a question; of several
             items, at least one was
          2  the arguments are wrong, or a file cannot be used
          3  server not reachable, or no answer in time (the message says
             whether it may have taken effect)
          4  send --wait, send --watch, message watch: not all delivered, or
             there was no device
          5  interrupted: a message goes on, the same import continues
        """
}
