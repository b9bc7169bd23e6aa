import CarillonTestKit
import Foundation

/// A running `apns-simulator` with a certificate, a signer and a rule of its own, in a temporary directory. The process
/// ends, and the directory is removed, when this object goes away.
final class SimulatorProcess {
    /// The error of a simulator that does not listen, with all that it printed.
    struct NotListening: Error, CustomStringConvertible {
        let description: String
    }

    /// The ports that the simulator prints when it listens.
    private struct Greeting {
        let port: String
        let controlPort: String
    }

    private let authority: TestAuthority
    private let process = Process()
    private let output = Pipe()
    private let greeting: Greeting

    /// The headers of a push that the simulator accepts.
    let validHeaders: [String]

    /// A token for which the rules of the simulator have an answer: unregistered since 1,700,000,000,000.
    static let unregisteredToken = "deadbeef"

    /// Starts the simulator, and returns when it listens.
    init() throws {
        authority = try TestAuthority()
        try authority.issue("server", subject: "/CN=localhost", names: "DNS:localhost")
        let now = Int64(Date().timeIntervalSince1970)
        validHeaders = ["authorization: \(ValidatedPush.bearer(issuedAtSeconds: now))", "apns-topic: com.example.app"]

        let files = authority.directory
        try Data(TestKey.pem.utf8).write(to: files.appending(path: "sign.pem"))
        try Data(
            #"{"prefix":"\#(Self.unregisteredToken)","status":410,"reason":"Unregistered","timestamp":1700000000000}"#
                .utf8
        )
        .write(to: files.appending(path: "rules.json"))
        process.executableURL = FinishedProgram.built("apns-simulator")
        process.arguments = [
            "--certificate", authority.path("server.pem"), "--key", authority.path("server.key"),
            "--app", "com.example.app", "--signer", "TEAMID0001:KEYID00001:\(authority.path("sign.pem"))",
            "--rules", authority.path("rules.json"), "--control-port", "0",
        ]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        do {
            greeting = try Self.greeting(from: output.fileHandleForReading)
        } catch {
            if process.isRunning { process.terminate() }
            throw error
        }
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// Reads both lines that the simulator prints when it listens. Throws if it ends, or prints something else.
    private static func greeting(from output: FileHandle) throws -> Greeting {
        var text = ""
        while text.count(where: \.isNewline) < 2 {
            let data = output.availableData
            guard !data.isEmpty else { throw NotListening(description: "apns-simulator has ended: \(text)") }
            text += String(decoding: data, as: UTF8.self)
        }
        let lines = /apns-simulator listens on 127\.0\.0\.1:(\d+)\nits control port is 127\.0\.0\.1:(\d+)\n/
        guard let ports = text.wholeMatch(of: lines)?.output else {
            throw NotListening(description: "apns-simulator does not say where it listens: \(text)")
        }
        return Greeting(port: String(ports.1), controlPort: String(ports.2))
    }

    /// Pushes with curl. Returns the body of the answer, a space and the status.
    @discardableResult
    func push(to token: String, _ headers: [String]? = nil, body: String = #"{"aps":{}}"#) throws -> String {
        try run(pushCommand(to: token, headers ?? validHeaders, body: body))
    }

    /// Sends commands over one control connection, pushes to `token` when the last command is answered, and waits for
    /// one answer more. Returns the first line of each answer.
    func answers(to commands: [String], awaiting answers: Int, thenPushingTo token: String) throws -> [String] {
        let read = "read -r line <&3; echo \"$line\"; read -r line <&3\n"
        let script =
            "set -e\nexec 3<>/dev/tcp/127.0.0.1/\(greeting.controlPort)\n"
            + commands.map { "echo '\($0)' >&3\n" }.joined()
            + String(repeating: read, count: answers)
            + pushCommand(to: token, validHeaders, body: #"{"aps":{}}"#) + " >/dev/null\n"
            + read
        return try run(script).split(separator: "\n").map(String.init)
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
        return "curl -sS --http2 --cacert ca.pem -w ' %{http_code}' \(flags) -d '\(body)'"
            + " https://localhost:\(greeting.port)/3/device/\(token)"
    }

    /// Runs a shell command in the directory, and returns the text that it printed. Throws the text if it fails.
    @discardableResult
    private func run(_ command: String) throws -> String {
        try FinishedProgram(URL(fileURLWithPath: "/bin/bash"), ["-c", command], in: authority.directory)
            .outputOfSuccess()
    }
}

/// A key made for these tests and used nowhere else.
enum TestKey {
    static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghkJjmc+CP0saZ37S
        WnEYbaR5HUt7TnpanrHiAJckCGmhRANCAASzSncr0aj8SoyOq6MkGIAT/Si29rpn
        wSpO6XFR+2jawMqo8virC9w5Ga1Sxn6+jbIoCPUS9hLBQ5ccv9HwjlAU
        -----END PRIVATE KEY-----
        """
}
