import CarillonServer
import Configuration
import Glibc
import SystemPackage

/// The command line of `carillond`.
enum Usage {
    static let text = """
        carillond: the push service.

          carillond --config /etc/carillon/carillon.json
          carillond --config F --listen-port 7474        a flag for the setting listen.port
          CARILLON_LISTEN_PORT=7474 carillond --config F  the same from the environment
          carillond --check-config --config F             report the faults of settings and files; exit 1 if any
          carillond --example-config                      print all settings with their defaults and comments, as a file
          carillond make-key PRINCIPAL                    make an API key and the line for the file of principals

        A setting may be in the file ({"listen": {"port": 7474}}; lines that begin with // are comments), in the
        environment (CARILLON_LISTEN_PORT) or a flag (--listen-port). A flag overrides the environment, the environment overrides
        the file.

        Settings, with their defaults:
        \(Setting.help)

        SIGHUP reads the files, and the settings that are marked so, again. If one cannot be used nothing changes, and
        the log says why.
        SIGTERM drains and exits 0.

        Exit status:
          0  stopped by a signal; --check-config: no fault
          1  settings or files cannot be used, or the disk has failed (see the log)
          2  make-key without a name
        """

    /// Refuses a flag that is no setting: a misspelt one would otherwise have no effect, silently.
    static func checkFlags(_ arguments: [String]) throws {
        let known = Set(["--config", "--check-config"] + Setting.all.map(\.flag))
        for argument in arguments.dropFirst() where argument.hasPrefix("-") {
            let name = String(argument.prefix { $0 != "=" })
            guard known.contains(name) else {
                throw SettingsError(name, "is no setting; carillond --help lists them")
            }
        }
    }

    /// Reads flags, the environment, and the file that `--config` or `CARILLON_CONFIG` names, in this order of
    /// precedence.
    static func configuration(_ arguments: [String]) async throws -> ConfigReader {
        let flags = CommandLineArgumentsProvider(arguments: arguments)
        let environment = EnvironmentVariablesProvider().prefixKeys(with: "carillon")
        let first = ConfigReader(providers: [flags, environment])
        guard let path = first.string(forKey: "config") else { return first }
        try SettingNames.check(path: path)
        let file = try await FileProvider<CommentedJSON>(filePath: FilePath(path))
        return ConfigReader(providers: [flags, environment, file])
    }

    /// Prints the findings of a check. Returns the exit status: 1 if the server could not start.
    static func report(_ check: ConfigurationCheck) -> Int32 {
        for note in check.notes { print("note: \(note)") }
        for problem in check.problems { complain("carillond: \(problem)\n") }
        guard check.problems.isEmpty else { return 1 }
        print("The configuration is good: \(check.summary).")
        return 0
    }

    /// Writes a line to standard error.
    static func complain(_ text: String) {
        _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }

    /// Prints a new API key once, and its entry for the file of principals. Returns the exit status.
    static func makeKey(principal: String?) -> Int32 {
        guard let principal else {
            Usage.complain("usage: carillond make-key PRINCIPAL\n")
            return 2
        }
        do {
            let made = try APIKey.make()
            print(
                """
                key, shown this once:   \(made.key)
                for the principals file: {"name": "\(principal)", "keySHA256": ["\(made.sha256)"], \
                "grants": [{"app": "*", "roles": ["register", "send", "observe"]}]}
                roles:                  register, send, observe; also admin, to list devices and read statistics
                """)
            return 0
        } catch {
            Usage.complain("carillond: \(error)\n")
            return 1
        }
    }
}
