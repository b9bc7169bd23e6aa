import CarillonTestKit
import Foundation

/// The script `Protocol/clients/testing/fake_server.py`, which plays the servers of one vector and judges the client.
final class FakeServer: Sendable {
    /// The lines that the script has written.
    struct Said: Sendable {
        var addresses: [String: String] = [:]
        var files: [String: String] = [:]
        var isListening = false
        var reached: Set<String> = []
        var failures: [String] = []
        var verdict: [String]?
        /// The lines that are no JSON: the script has failed.
        var errorLines: [String] = []
        var hasEnded = false

        /// The words of the script about a step that it did not reach.
        var explanation: String { (failures + errorLines).joined(separator: "\n") }
    }

    let said = Watched(Said())
    private let process = Process()
    private let input = Pipe()

    init(vector: String) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = Vectors.protocolFolder.appendingPathComponent("clients/testing/fake_server.py").path
        process.arguments = ["python3", "-B", script, vector]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        output.fileHandleForReading.readLines { [said] line in
            guard let line else { return said.change { $0.hasEnded = true } }
            Self.read(line, said)
        }
    }

    private static func read(_ line: Data, _ said: Watched<Said>) {
        // Why try?: what is no JSON is the text of an error.
        guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any] else {
            return said.change { $0.errorLines.append(String(decoding: line, as: UTF8.self)) }
        }
        let addresses = object["listening"] as? [String: String]
        let files = object["files"] as? [String: String] ?? [:]
        let reached = object["reached"] as? String
        let failed = object["failed"].map { "\($0)" }
        let verdict = (object["verdict"] as? [String: Any]).map { verdict in
            verdict["ok"] as? Bool == true ? [] : (verdict["failures"] as? [Any] ?? []).map { "\($0)" } + ["not ok"]
        }
        said.change { said in
            if let addresses { (said.addresses, said.files, said.isListening) = (addresses, files, true) }
            if let reached { said.reached.insert(reached) }
            if let failed { said.failures.append(failed) }
            if let verdict { said.verdict = verdict }
        }
    }

    /// Waits until the servers listen and their addresses are known. Throws if the script ends before.
    func listening() async throws {
        let found = try await said.wait(until: "the servers listen") { $0.isListening || $0.hasEnded }
        guard found.isListening else { throw LayoutEncoder.Fault(text: "no server listens: \(found.explanation)") }
    }

    /// Waits until the servers have come to this step.
    func reach(_ name: String) async throws {
        let found = try await said.wait(until: "the servers reach \(name)") {
            $0.reached.contains(name) || !$0.failures.isEmpty || $0.hasEnded
        }
        guard found.reached.contains(name) else {
            throw LayoutEncoder.Fault(text: "\(name) was not reached: \(found.explanation)")
        }
    }

    func command(_ line: String) {
        // Why try?: a script that has ended takes no command, and the wait for its answer says why it has ended.
        try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Waits for the faults of the client; empty if it did as it must.
    func verdict() async throws -> [String] {
        command("verdict")
        // The end of its output, not only its last line: it has nothing more to do then.
        let found = try await said.wait(until: "the verdict") { $0.hasEnded }
        return found.verdict ?? ["the fake server has ended: \(found.explanation)"]
    }
}
