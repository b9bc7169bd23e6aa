import CarillonCommandLine

/// The help about exit statuses.
extension ExitStatus {
    /// The paragraph about exit statuses in `--help`.
    static let explanation = """
        Exit status:
          0  done
          1  verify has findings; or refused by the server, or not found
          2  the arguments are wrong, or a file or directory cannot be used
          3  server not reachable, or no answer in time
          5  interrupted
          6  stored data is corrupt
        """
}
