import CarillonTestKit
import Dispatch
import Foundation

/// The script `Protocol/clients/fake_server.py`, which plays the servers of one vector and judges the client.
final class FakeServer: Sendable {
    /// The lines that the script has written.
    struct Said: Sendable {
        var addresses: [String: String] = [:]
        var files: [String: String] = [:]
        var isListening = false
        var reached: Set<String> = []
        var failures: [String] = []
        var verdict: [String]?
        var hasEnded = false
    }

    let said = Watched(Said())
    private let process = Process()
    private let input = Pipe()

    init(vector: String) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = Vectors.protocolFolder.appendingPathComponent("clients/fake_server.py").path
        process.arguments = ["python3", "-B", script, vector]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let (file, said) = (output.fileHandleForReading, said)
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let data = file.availableData
                if data.isEmpty { break }
                rest += data
                while let end = rest.firstIndex(of: 0x0A) {
                    Self.read(rest[rest.startIndex..<end], said)
                    rest = rest[rest.index(after: end)...]
                }
            }
            said.change { $0.hasEnded = true }
        }
    }

    private static func read(_ line: Data, _ said: Watched<Said>) {
        guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any] else { return }
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

    /// Waits until the servers listen and their addresses are known.
    func listening() async throws {
        try await said.wait(until: "the servers listen") { $0.isListening || $0.hasEnded }
    }

    /// Waits until the servers have come to this step.
    func reach(_ name: String) async throws {
        let found = try await said.wait(until: "the servers reach \(name)") {
            $0.reached.contains(name) || !$0.failures.isEmpty || $0.hasEnded
        }
        guard found.reached.contains(name) else { throw LayoutEncoder.Fault(text: "\(name) was not reached") }
    }

    func command(_ line: String) {
        try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Waits for the faults of the client; empty if it did as it must.
    func verdict() async throws -> [String] {
        command("verdict")
        // The end of its output, not only its last line: it has nothing more to do then.
        let found = try await said.wait(until: "the verdict") { $0.hasEnded }
        return found.verdict ?? ["the fake server has ended: \(found.failures)"]
    }
}
