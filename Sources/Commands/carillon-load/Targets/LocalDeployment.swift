import CarillonClient
import CarillonCore
import CarillonTLS
import Foundation

/// A server and an APNs simulator on free loopback ports, with new keys and certificates. All of it is removed at the
/// end.
final class LocalDeployment {
    static let app: AppID = {
        guard let app = AppID("com.example.load") else { preconditionFailure("it is a bundle id") }
        return app
    }()

    private let folder: URL
    private let programFolder: URL
    private var children: [Process] = []
    private let apiKey: String

    private(set) var server: CarillonClient.Configuration.Address
    private(set) var simulatorControl: CarillonClient.Configuration.Address
    private(set) var serverProcessID: Int32 = 0
    private(set) var simulatorProcessID: Int32 = 0

    var configuration: CarillonClient.Configuration {
        CarillonClient.Configuration(address: server, security: .plaintext, apiKey: .value(apiKey))
    }

    /// Starts the server and the simulator. `flags` are additional arguments of carillond. The database is in a new
    /// directory in `parent`.
    init(parent: String, flags: [String]) async throws {
        let folder = URL(fileURLWithPath: parent).appendingPathComponent("carillon-load-\(UUID().uuidString.prefix(8))")
        self.folder = folder
        programFolder = try Self.programFolder()
        apiKey = "crln_" + Hex.string(try randomBytes(32))
        server = .unixSocket(path: "")
        simulatorControl = server
        do {
            try createDirectory()
            try makeKeys()
            try startSimulator()
            let apnsPort = try await awaitPort(inFile: "apns.port")
            simulatorControl = .tcp(host: "127.0.0.1", port: try await awaitPort(inFile: "control.port"))
            try startServer(apnsPort: apnsPort, flags: flags)
            server = .tcp(host: "127.0.0.1", port: try await awaitPort(inFile: "server.port"))
        } catch {
            stop()
            throw error
        }
    }

    /// Ends the processes, with SIGTERM and after 10 s with SIGKILL, and removes the directory.
    func stop() {
        for child in children where child.isRunning { child.terminate() }
        let end = Date(timeIntervalSinceNow: 10)
        for child in children {
            while child.isRunning, Date() < end { usleep(20_000) }
            if child.isRunning { kill(child.processIdentifier, SIGKILL) }
            child.waitUntilExit()
        }
        children = []
        // Why try?: files that cannot be removed are in a directory of temporary files.
        try? FileManager.default.removeItem(at: folder)
    }

    private func createDirectory() throws {
        do {
            let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false, attributes: mode)
        } catch {
            throw LoadTestError("\(folder.path) cannot be created (--data): \(error.localizedDescription)")
        }
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Returns the directory of this program, which must contain the other programs.
    private static func programFolder() throws -> URL {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = URL(fileURLWithPath: own).deletingLastPathComponent()
        for name in ["carillond", "apns-simulator"] {
            guard FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent(name).path) else {
                throw LoadTestError("--own needs \(name) beside carillon-load, in \(folder.path).")
            }
        }
        return folder
    }

    private func makeKeys() throws {
        try openssl("ecparam -name prime256v1 -genkey -noout -out provider.key")
        try openssl("pkcs8 -topk8 -nocrypt -in provider.key -out AuthKey.p8")
        try openssl("pkey -in AuthKey.p8 -pubout -out AuthKey.pub")
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 30"
                + " -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout apns.key -out apns.pem"
        )
        for name in ["AuthKey.p8", "apns.key", "provider.key"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
        }
    }

    /// Runs openssl with arguments that contain no spaces.
    private func openssl(_ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw LoadTestError("openssl cannot make the keys: \(String(decoding: text.prefix(500), as: UTF8.self))")
        }
    }

    private func startSimulator() throws {
        simulatorProcessID = try start(
            "apns-simulator",
            arguments: [
                "--certificate", path("apns.pem"), "--key", path("apns.key"), "--app", Self.app.name, "--team",
                "TEAM123456",
                "--key-id", "KEY1234567", "--public-key", path("AuthKey.pub"), "--port", "0", "--port-file",
                path("apns.port"), "--control-port", "0", "--control-port-file", path("control.port"), "--quiet",
            ])
    }

    private func startServer(apnsPort: Int, flags: [String]) throws {
        let keyHash = Hex.string(SHA256.hash(Array(apiKey.utf8)))
        try write(
            #"""
            {"principals": [{"name": "load", "keySHA256": ["\#(keyHash)"],
              "grants": [{"app": "*", "roles": ["register", "send", "observe"]}]}]}
            """#, to: "principals.json")
        try write(
            #"""
            {"credentials": {"main": {"teamID": "TEAM123456", "keyID": "KEY1234567", "keyFile": "AuthKey.p8"}},
              "apps": {"\#(Self.app.name)": {"production": "main"}}}
            """#, to: "apps.json")
        serverProcessID = try start(
            "carillond",
            arguments: [
                "--listen-host", "127.0.0.1", "--listen-port", "0", "--listen-port-file", path("server.port"),
                "--metrics-port", "0", "--metrics-port-file", path("metrics.port"), "--data-path", path("data"),
                "--apns-production-host", "localhost", "--apns-port", "\(apnsPort)", "--apns-authorities-file",
                path("apns.pem"), "--apps-file", path("apps.json"), "--principals-file", path("principals.json"),
            ] + flags)
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        // With another umask the server could refuse the file: other users could change it.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
    }

    private func start(_ program: String, arguments: [String]) throws -> Int32 {
        let log = path(program + ".log")
        guard FileManager.default.createFile(atPath: log, contents: nil), let output = FileHandle(forWritingAtPath: log)
        else { throw LoadTestError("\(log) cannot be written.") }
        let process = Process()
        process.executableURL = programFolder.appendingPathComponent(program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        children.append(process)
        return process.processIdentifier
    }

    /// Waits for the port that a starting program writes to a file, and returns it.
    private func awaitPort(inFile name: String) async throws -> Int {
        for _ in 0..<1_000 {
            // Why try?: the program has not written it yet.
            if let text = try? String(contentsOfFile: path(name), encoding: .utf8),
                let port = Int(text.filter(\.isNumber))
            {
                return port
            }
            guard let last = children.last, last.isRunning else { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        let program = children.last?.executableURL?.lastPathComponent ?? ""
        // Why try?: a program that has not started may have no log.
        let log = (try? String(contentsOfFile: path(program + ".log"), encoding: .utf8)) ?? ""
        throw LoadTestError("\(program) did not start: \(log.suffix(1_000))")
    }
}
