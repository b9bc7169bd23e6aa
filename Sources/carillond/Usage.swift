import CarillonServer
import Configuration
import Glibc
import SystemPackage

/// What the command line says and does before there is a server.
enum Usage {
    static let text = """
        carillond: the push service.

          carillond --config /etc/carillon/carillon.json
          carillond --config F --listen-port 7474        a flag for the setting listen.port
          CARILLON_LISTEN_PORT=7474 carillond --config F  the same from the environment
          carillond --check-config --config F             say what is wrong with settings and files; exit 1 if anything is
          carillond --example-config                      print the settings as a file, with their defaults and comments
          carillond make-key PRINCIPAL                    make an API key and the line for the file of principals

        A setting may stand in the file ({"listen": {"port": 7474}}; lines that begin with // are comments), in the environment
        (CARILLON_LISTEN_PORT) and be given as a flag (--listen-port). A flag beats the environment, the environment beats
        the file.

        Settings, with their defaults:
        \(Setting.help)

        SIGHUP reads files and the settings marked so again; what cannot be used changes nothing, and the log says why.
        SIGTERM drains and exits 0.

        Exit status:
          0  stopped in good order; --check-config: everything is good
          1  settings or files cannot be used, or the disk has failed (the log says more)
          2  make-key without a name
        """

    /// Refuses a flag that is no setting: a misspelt one would otherwise be silently without effect.
    static func checkFlags(_ arguments: [String]) throws {
        let known = Set(["--config", "--check-config"] + Setting.all.map(\.flag))
        for argument in arguments.dropFirst() where argument.hasPrefix("-") {
            let name = String(argument.prefix { $0 != "=" })
            guard known.contains(name) else {
                throw SettingsError(name, "is no setting; carillond --help lists them")
            }
        }
    }

    /// Flags over environment over the file that `--config` or `CARILLON_CONFIG` names.
    static func configuration(_ arguments: [String]) async throws -> ConfigReader {
        let flags = CommandLineArgumentsProvider(arguments: arguments)
        let environment = EnvironmentVariablesProvider().prefixKeys(with: "carillon")
        let first = ConfigReader(providers: [flags, environment])
        guard let path = first.string(forKey: "config") else { return first }
        try SettingNames.check(path: path)
        let file = try await FileProvider<CommentedJSON>(filePath: FilePath(path))
        return ConfigReader(providers: [flags, environment, file])
    }

    /// Prints what a check has found; 1 if the server could not start.
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

    /// Prints a new key once, and what the file of principals needs to know of it.
    static func makeKey(principal: String?) -> Int32 {
        guard let principal else {
            Usage.complain("usage: carillond make-key PRINCIPAL\n")
            return 2
        }
        do {
            let made = try KeyRing.makeKey()
            print(
                """
                key, shown this once:   \(made.key)
                for the principals file: {"name": "\(principal)", "keySHA256": ["\(made.sha256)"], \
                "grants": [{"app": "*", "roles": ["register", "send", "observe"]}]}
                roles:                  register, send, observe; admin too for who lists devices and sees the server's figures
                """)
            return 0
        } catch {
            Usage.complain("carillond: \(error)\n")
            return 1
        }
    }
}
