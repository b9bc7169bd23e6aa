import Foundation
import Testing

/// A simulator and a server of one's own, as real processes in a folder that goes away; ended with the object.
final class World {
    /// The server's TCP port on loopback.
    let port: Int
    /// The API key of a principal with every role.
    let key: String
    private let process = Process()
    private let input = Pipe()

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Starts everything and lets the Python client tell its story first; throws if it is not ready or the story fails.
    init() throws {
        let script = """
            set -euo pipefail
            source Tools/setup.sh
            source Tools/playground.sh
            WORLD=$(mktemp -d)
            trap 'stop_all; rm -rf "$WORLD"' EXIT
            make_keys
            make_configuration
            start_simulator --quiet
            start_server
            python3 Protocol/python/story.py --server "127.0.0.1:$SERVER_PORT" --plaintext --key-file "$WORLD/api-key" \
                --app com.example.game >&2
            echo "$SERVER_PORT $(cat "$WORLD/api-key")"
            cat >/dev/null
            """
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = Self.root
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        try #require(words.count == 2, "the world did not start, or the story in Python failed")
        port = try #require(Int(words[0]))
        key = String(words[1])
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
