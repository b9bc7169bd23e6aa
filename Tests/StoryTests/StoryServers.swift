import Foundation
import Testing

/// A simulator and a server of one's own, as real processes in a folder that goes away; ended with the object.
final class StoryServers {
    /// What can happen to the processes.
    enum Event: String {
        /// The server dies without last words (kill -9).
        case serverDies = "kill"
        /// The server starts on the port that it had.
        case serverStarts = "start"
        /// APNs takes no more bytes and answers nothing.
        case apnsStandsStill = "halt"
        /// APNs goes on where it stood.
        case apnsGoesOn = "resume"
    }

    /// The server's TCP port on loopback.
    let port: Int
    /// The API key of a principal with every role.
    let key: String
    private let record: FileHandle
    private var unread = Data()
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let script = """
        set -euo pipefail
        source Tools/setup.sh
        source Tools/playground.sh
        WORLD=$(mktemp -d)
        trap 'stop_all; rm -rf "$WORLD"' EXIT
        make_keys
        make_configuration
        start_simulator --quiet --record "$WORLD/received.jsonl"
        start_server
        if [ "$1" = python ]; then
            python3 Protocol/python/story.py --server "127.0.0.1:$SERVER_PORT" --plaintext --key-file "$WORLD/api-key" \
                --app com.example.game >&2
        fi
        echo "$SERVER_PORT $(cat "$WORLD/api-key") $WORLD/received.jsonl"
        while read -r event; do
            case $event in
            kill) kill -KILL "$SERVER"; wait "$SERVER" 2>/dev/null || true ;;
            start) start_server --listen-port "$SERVER_PORT" ;;
            halt) kill -STOP "$SIMULATOR" ;;
            resume) kill -CONT "$SIMULATOR" ;;
            esac
            echo "$event"
        done
        """

    /// Starts everything, and lets the Python client tell its story first if that is asked for; throws if the world is not
    /// ready or the story fails.
    init(withPythonStory: Bool = false) throws {
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", Self.script, "world", withPythonStory ? "python" : ""]
        process.currentDirectoryURL = Self.root
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let words = try Self.line(of: output).split(separator: " ").map(String.init)
        try #require(words.count == 3, "the world did not start, or the story in Python failed")
        port = try #require(Int(words[0]))
        key = words[1]
        record = try FileHandle(forReadingFrom: URL(fileURLWithPath: words[2]))
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Lets something happen; returns when it has.
    func happens(_ event: Event) throws {
        try input.fileHandleForWriting.write(contentsOf: Array("\(event.rawValue)\n".utf8))
        try #require(Self.line(of: output) == event.rawValue, "the world came to an end")
    }

    /// What APNs has received since this was asked last, in its order. A push is in it before it is answered.
    func pushes() throws -> [Push] {
        unread += try record.readToEnd() ?? Data()
        // The last line may be on its way still.
        guard let end = unread.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let lines = unread[...end]
        unread = Data(unread[(end + 1)...])
        return try lines.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Push.self, from: $0) }
    }

    private static func line(of pipe: Pipe) throws -> String {
        var line: [UInt8] = []
        while let byte = try pipe.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }
}
