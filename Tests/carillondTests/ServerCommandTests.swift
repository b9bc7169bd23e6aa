import CarillonServer
import Testing

@testable import carillond

/// The command line of carillond.
struct ServerCommandTests {
    private func fault(_ arguments: [String]) -> String? {
        do throws(UsageError) {
            _ = try Command(arguments)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        arguments: [
            ([], .serve([])), (["serve"], .serve([])),
            (["--config", "f", "--listen-port", "0"], .serve(["--config=f", "--listen-port=0"])),
            (["serve", "--listen-port=7"], .serve(["--listen-port=7"])),
            (["--listen-allow-plaintext", "--config", "f"], .serve(["--listen-allow-plaintext", "--config=f"])),
            (["--listen-allow-plaintext", "false"], .serve(["--listen-allow-plaintext=false"])),
            (["--listen-host", ""], .serve(["--listen-host="])),
            (["--test-log-format", "2"], .serve(["--test-log-format=2"])),
            (["check-config", "f"], .checkConfiguration(["--config=f"])),
            (["check-config", "--config", "f"], .checkConfiguration(["--config=f"])),
            (["--check-config", "--config", "f"], .checkConfiguration(["--config=f"])),
            (["--config", "f", "--check-config"], .checkConfiguration(["--config=f"])),
            (["--check-config", "f"], .checkConfiguration(["--config=f"])),
            (["check-health", "--config", "f"], .checkHealth(["--config=f"])), (["check-health"], .checkHealth([])),
            (["cluster-status", "--config", "f"], .showCluster(["--config=f"])),
            (["version"], .printVersion), (["--version"], .printVersion), (["--example-config"], .printExample),
            (["help"], .printHelp(ofMakeKey: false)), (["-h"], .printHelp(ofMakeKey: false)),
            (["serve", "--help"], .printHelp(ofMakeKey: false)), (["help", "make-key"], .printHelp(ofMakeKey: true)),
            (["make-key", "--help"], .printHelp(ofMakeKey: true)),
            (["make-key", "a", "-h"], .printHelp(ofMakeKey: true)),
        ] as [([String], Command)])
    func argumentsAreCommands(_ arguments: [String], _ command: Command) throws {
        #expect(try Command(arguments) == command)
    }

    @Test(arguments: [
        (["chekc-config", "--config", "f"], "there is no command 'chekc-config'. Did you mean 'check-config'?"),
        (["make-keys", "backend"], "Did you mean 'make-key'?"), (["run"], "There are serve, check-config,"),
        (["carillon.json"], "For a file of settings: --config carillon.json"),
        (["serve", "/etc/carillon.json"], "For a file of settings: --config /etc/carillon.json"),
        (["serve", "more"], "no command 'more'"), (["--config", "f", "more"], "no command 'more'"),
        (["example-config"], "Did you mean '--example-config'?"), (["version", "more"], "no command 'more'"),
        (["help", "make-kye"], "Did you mean 'make-key'?"),
        (["--listen-prot", "3"], "unknown option '--listen-prot'. Did you mean '--listen-port'?"),
        (["-x"], "unknown option '-x'."), (["--listen-port"], "--listen-port needs a value"),
        (["--listen-port", "--config", "f"], "--listen-port needs a value"),
        (["--check-config=yes"], "--check-config takes no value"),
        (["--apns-port", "1", "--apns-port=2"], "--apns-port is given twice: 1 and 2"),
        (["--check-config", "--check-config"], "given twice"),
        (["check-config", "a", "b"], "check-config takes one file, not a and b"),
        (["check-config", "a", "--config", "b"], "the file is given twice: b and a"),
        (["make-vapid"], "needs one file"), (["make-key"], "needs the name"),
        (["make-key", "a", "b"], "'b' is another word"),
        (["make-key", ""], "1 to 255 bytes, this one has 0"),
        (["make-key", String(repeating: "a", count: 256)], "this one has 256"),
        (["make-key", "a", "--app", "a b"], "'a b' is not an app"),
        (["make-key", "a", "--role", "amdin"], "Did you mean 'admin'?"),
        (["make-key", "a", "--role", "x"], "There are register, send, observe, admin."),
        (["make-key", "a", "--role", "send", "--role", "send"], "--role is given twice"),
        (["make-key", "a", "--out"], "--out needs a value"),
        (["make-key", "a", "--rol", "x"], "Did you mean '--role'?"),
    ])
    func aFaultOfArgumentsIsNamed(_ arguments: [String], _ expected: String) throws {
        let text = try #require(fault(arguments))
        #expect(text.contains(expected), "\(text)")
    }

    @Test func aKeyIsForOneAppAndOneRoleUnlessMoreIsAsked() throws {
        let request = try KeyRequest(name: "a\"b", apps: [], roles: [], file: nil)
        #expect(request.hasPlaceholder)
        #expect(
            try request.entry(sha256: "00") == #"{"name": "a\"b", "keySHA256": ["00"], "#
                + #""grants": [{"app": "com.example.game", "roles": ["send"]}]}"#)
        let more = try KeyRequest(name: "b", apps: ["com.example.shop", "*"], roles: ["send", "admin"], file: nil)
        #expect(!more.hasPlaceholder)
        #expect(
            try more.entry(sha256: "00") == #"{"name": "b", "keySHA256": ["00"], "#
                + #""grants": [{"app": "com.example.shop", "roles": ["send", "admin"]}, "#
                + #"{"app": "*", "roles": ["send", "admin"]}]}"#)
    }

    @Test func aVariableThatIsNearlyASettingIsRefused() throws {
        let error = #expect(throws: SettingsError.self) {
            try SettingVariables.unknown(in: ["CARILLON_LISTEN_PROT"])
        }
        #expect(error?.description == "CARILLON_LISTEN_PROT: is not a setting. Did you mean CARILLON_LISTEN_PORT?")
        // Of Kubernetes, of the tools, of a test run; the others are settings.
        let names = [
            "CARILLON_PORT", "CARILLON_SERVICE_HOST", "CARILLON_SERVER", "CARILLON_APP", "CARILLON_CONFIG",
            "CARILLON_LISTEN_PORT_FILE", "CARILLON_THREADS", "PATH", "CARILLON_PROGRAMS",
        ]
        #expect(
            try SettingVariables.unknown(in: names) == [
                "CARILLON_PORT", "CARILLON_PROGRAMS", "CARILLON_SERVICE_HOST",
            ])
    }
}
