import CarillonTestKit
import Foundation
import Synchronization

/// The lines that a process writes. Waiting for a line blocks no thread. Only one task may wait at a time.
final class ProcessOutput: Sendable {
    private struct State {
        var lines: [String] = []
        var hasEnded = false
        var waiting: CheckedContinuation<String?, Never>?
    }

    private let state = Mutex(State())

    /// Reads from the file until its end.
    init(_ file: FileHandle) {
        file.readLines { [self] line in received(line.map { String(decoding: $0, as: UTF8.self) }) }
    }

    /// Returns the next line, or nil at the end.
    func next() async -> String? {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if !state.lines.isEmpty {
                    continuation.resume(returning: state.lines.removeFirst())
                } else if state.hasEnded {
                    continuation.resume(returning: nil)
                } else {
                    state.waiting = continuation
                }
            }
        }
    }

    /// Passes a line to the task that waits, or keeps it; nil is the end.
    private func received(_ line: String?) {
        state.withLock { state in
            if let waiting = state.waiting.take() {
                waiting.resume(returning: line)
            } else if let line {
                state.lines.append(line)
            }
            if line == nil { state.hasEnded = true }
        }
    }
}
