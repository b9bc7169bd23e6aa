import CarillonTestKit
import Foundation
import Testing

/// A simulator and a server for one test: real processes in a temporary folder. They end when this object does.
///
/// No method blocks a thread: the test waits for the output of the processes asynchronously.
final class StoryServers {
    /// An action of a test on the processes.
    enum Action: String {
        /// The server is killed with SIGKILL.
        case killServer = "kill"
        /// The server is started on the port that it had.
        case startServer = "start"
        /// The simulator is stopped: APNs takes no more bytes and answers nothing.
        case stopAPNs = "stop"
        case continueAPNs = "continue"
        /// The simulator has read all bytes of connections whose server was killed.
        case finishConnections = "finish"
    }

    /// The server's TCP port on loopback.
    let port: Int
    /// The API key of a principal with every role.
    let key: String
    private let record: FileHandle
    private var unread = Data()
    private let process: Process
    private let input: Pipe
    private let output: ProcessOutput

    /// Starts the processes; with `withPythonStory`, the Python client runs its story first. Throws if the processes do
    /// not start or the story fails.
    init(withPythonStory: Bool = false) async throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = Repository.file("Tests/SystemTests/story_servers.py").path
        process.arguments = ["python3", "-B", script] + (withPythonStory ? ["--python-story"] : [])
        input = Pipe()
        process.standardInput = input
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        output = ProcessOutput(pipe.fileHandleForReading)
        let words = await output.next()?.split(separator: " ").map(String.init) ?? []
        try #require(words.count == 3, "the servers did not start, or the story in Python failed")
        port = try #require(Int(words[0]))
        key = words[1]
        record = try FileHandle(forReadingFrom: URL(fileURLWithPath: words[2]))
    }

    /// Ends the script, which ends the processes and removes the folder.
    deinit { try? input.fileHandleForWriting.close() }

    /// Performs an action; returns when it is done.
    func perform(_ action: Action) async throws { try await perform(action.rawValue) }

    /// Performs an action of the script; returns when it is done.
    private func perform(_ action: String, _ argument: String = "") async throws {
        try input.fileHandleForWriting.write(contentsOf: Array("\(action) \(argument)\n".utf8))
        let answer = await output.next()
        try #require(answer == action, "the script has ended")
    }

    /// Returns the pushes that APNs has received since the last call, in its order. A push is recorded before it is
    /// answered.
    func pushes() throws -> [Push] {
        unread += try record.readToEnd() ?? Data()
        // The last line can be incomplete.
        guard let end = unread.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let lines = unread[...end]
        unread = Data(unread[(end + 1)...])
        return try lines.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Push.self, from: $0) }
    }

    /// Waits until APNs has accepted at least `count` pushes since it started; returns those since the last call.
    func pushes(afterAccepting count: Int) async throws -> [Push] {
        try await perform("wait", "\(count)")
        return try pushes()
    }
}
