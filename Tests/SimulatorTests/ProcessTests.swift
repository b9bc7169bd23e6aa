import Foundation
import Testing

@Suite("The simulator as a process, judged by curl")
struct ProcessTests {
    @Test func itAnswersAsAppleDoes() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "apns-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        func path(_ name: String) -> String { directory.appending(path: name).path }
        try Data(TestKey.pem.utf8).write(to: URL(fileURLWithPath: path("sign.pem")))
        try run(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2"
                + " -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem && chmod 600 key.pem",
            in: directory
        )
        try Data(#"{"prefix":"dead","status":410,"reason":"Unregistered","timestamp":1700000000000}"#.utf8)
            .write(to: URL(fileURLWithPath: path("rules.json")))

        let simulator = Process()
        simulator.executableURL = Bundle.main.builtProduct("apns-simulator")
        simulator.arguments = [
            "--certificate", path("cert.pem"), "--key", path("key.pem"), "--app", "com.example.app",
            "--signer", "TEAMID0001:KEYID00001:\(path("sign.pem"))", "--port-file", path("port"),
            "--rules", path("rules.json"), "--control-port", "0", "--control-port-file", path("control"),
        ]
        let output = Pipe()
        simulator.standardOutput = output
        try simulator.run()
        defer { simulator.terminate() }
        // The first line is printed when it listens.
        _ = output.fileHandleForReading.availableData
        let port = try String(contentsOfFile: path("port"), encoding: .utf8).filter(\.isNumber)

        let now = Int64(Date().timeIntervalSince1970)
        let good = ["authorization: \(ValidatorTests.bearer(issuedAt: now))", "apns-topic: com.example.app"]
        let body = #"{"aps":{}}"#
        let cases: [(token: String, headers: [String], body: String, answer: String)] = [
            ("aabb", good, body, " 200"),
            ("xyz", good, body, #"{"reason":"BadDeviceToken"} 400"#),
            ("aabb", Array(good[1...]), body, #"{"reason":"MissingProviderToken"} 403"#),
            ("aabb", ["authorization: bearer abc"], body, #"{"reason":"InvalidProviderToken"} 403"#),
            ("aabb", Array(good[..<1]), body, #"{"reason":"MissingTopic"} 400"#),
            ("aabb", good + ["apns-priority: 7"], body, #"{"reason":"BadPriority"} 400"#),
            ("aabb", good, "", #"{"reason":"PayloadEmpty"} 400"#),
            ("deadbeef", good, body, #"{"reason":"Unregistered","timestamp":1700000000000} 410"#),
        ]
        for (token, headers, body, answer) in cases {
            let flags = headers.map { "-H '\($0)'" }.joined(separator: " ")
            let said = try run(
                "curl -s --http2 --cacert cert.pem -w ' %{http_code}' \(flags) -d '\(body)'"
                    + " https://localhost:\(port)/3/device/\(token)",
                in: directory
            )
            #expect(said == answer)
        }

        // A client that waits for one device gets its push, and not an earlier one to another device.
        let control = try String(contentsOfFile: path("control"), encoding: .utf8).filter(\.isNumber)
        let flags = good.map { "-H \"\($0)\"" }.joined(separator: " ")
        let told = try run(
            "bash -c 'exec 3<>/dev/tcp/127.0.0.1/\(control); echo wait 1 ccdd >&3; timeout 0.3 cat <&3; echo pushed;"
                + " curl -s --http2 --cacert cert.pem \(flags) -d {\\\"aps\\\":{}}"
                + " https://localhost:\(port)/3/device/ccdd; timeout 10 head -n 1 <&3'",
            in: directory
        )
        #expect(told.hasPrefix("pushed\n{"))
        #expect(told.contains(#""accepted":2,"#))

        simulator.terminate()
        simulator.waitUntilExit()
        #expect(simulator.terminationStatus == 0)
        let summary = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(summary.contains(#""accepted":2,"#))
    }

    /// Runs a shell command and returns what it printed.
    @discardableResult
    private func run(_ command: String, in directory: URL) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
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
    /// An executable of this package, which is built into the directory of the test bundle.
    fileprivate func builtProduct(_ name: String) -> URL {
        var directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            directory = URL(fileURLWithPath: argument).deletingLastPathComponent()
        }
        return directory.appending(path: name)
    }
}
