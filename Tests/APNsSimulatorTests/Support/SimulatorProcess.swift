import Foundation
import Testing

/// A running `apns-simulator` with a certificate, a signer and a rule of its own, in a temporary directory. The process
/// ends, and the directory is removed, when this object goes away.
final class SimulatorProcess {
    private let directory: URL
    private let process = Process()
    private let output = Pipe()
    private let port: String
    private let controlPort: String

    /// The headers of a push that the simulator accepts.
    let validHeaders: [String]

    /// Starts the simulator, and returns when it listens. Tokens that begin with `dead` are unregistered.
    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "apns-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let now = Int64(Date().timeIntervalSince1970)
        validHeaders = ["authorization: \(ValidatorTests.bearer(issuedAt: now))", "apns-topic: com.example.app"]

        let directory = directory
        func path(_ name: String) -> String { directory.appending(path: name).path }
        try Data(TestKey.pem.utf8).write(to: directory.appending(path: "sign.pem"))
        try Data(#"{"prefix":"dead","status":410,"reason":"Unregistered","timestamp":1700000000000}"#.utf8)
            .write(to: directory.appending(path: "rules.json"))
        try Self.run(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2"
                + " -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem && chmod 600 key.pem",
            in: directory)
        process.executableURL = Bundle.main.builtProduct("apns-simulator")
        process.arguments = [
            "--certificate", path("cert.pem"), "--key", path("key.pem"), "--app", "com.example.app",
            "--signer", "TEAMID0001:KEYID00001:\(path("sign.pem"))", "--port-file", path("port"),
            "--rules", path("rules.json"), "--control-port", "0", "--control-port-file", path("control"),
        ]
        process.standardOutput = output
        try process.run()
        // The first line is printed when it listens.
        _ = output.fileHandleForReading.availableData
        port = try String(contentsOfFile: path("port"), encoding: .utf8).filter(\.isNumber)
        controlPort = try String(contentsOfFile: path("control"), encoding: .utf8).filter(\.isNumber)
    }

    deinit {
        if process.isRunning { process.terminate() }
        try? FileManager.default.removeItem(at: directory)
    }

    /// Pushes with curl. Returns the body of the answer, a space and the status.
    @discardableResult
    func push(to token: String, _ headers: [String]? = nil, body: String = #"{"aps":{}}"#) throws -> String {
        try Self.run(pushCommand(to: token, headers ?? validHeaders, body: body), in: directory)
    }

    /// Sends commands over one control connection, pushes to `token` when the last command is answered, and waits for
    /// one answer more. Returns the first line of each answer.
    func answers(to commands: [String], awaiting answers: Int, thenPushingTo token: String) throws -> [String] {
        let read = "read -r line <&3; echo \"$line\"; read -r line <&3\n"
        let script =
            "exec 3<>/dev/tcp/127.0.0.1/\(controlPort)\n"
            + commands.map { "echo '\($0)' >&3\n" }.joined()
            + String(repeating: read, count: answers)
            + pushCommand(to: token, validHeaders, body: #"{"aps":{}}"#) + " >/dev/null\n"
            + read
        return try Self.run(script, in: directory).split(separator: "\n").map(String.init)
    }

    /// Stops the process with SIGTERM. Returns its exit status and the text that it has printed since it listened.
    func stop() -> (status: Int32, output: String) {
        process.terminate()
        process.waitUntilExit()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return (process.terminationStatus, text)
    }

    private func pushCommand(to token: String, _ headers: [String], body: String) -> String {
        let flags = headers.map { "-H '\($0)'" }.joined(separator: " ")
        return "curl -s --http2 --cacert cert.pem -w ' %{http_code}' \(flags) -d '\(body)'"
            + " https://localhost:\(port)/3/device/\(token)"
    }

    /// Runs a shell command, and returns the text that it printed.
    @discardableResult
    private static func run(_ command: String, in directory: URL) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = directory
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}

extension Bundle {
    /// Returns the path of an executable of this package, which is built into the directory of the test bundle.
    fileprivate func builtProduct(_ name: String) -> URL {
        var directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            directory = URL(fileURLWithPath: argument).deletingLastPathComponent()
        }
        return directory.appending(path: name)
    }
}
