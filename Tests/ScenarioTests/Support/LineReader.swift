import Foundation
import Synchronization

/// A reader of the lines that a process writes. It blocks no thread. One task at a time waits for a line.
final class LineReader: Sendable {
    private struct State {
        var partialLine: [UInt8] = []
        var lines: [String] = []
        var hasEnded = false
        var waiting: CheckedContinuation<String?, Never>?
    }

    private let state = Mutex(State())

    /// Reads from the file until its end.
    init(_ file: FileHandle) {
        file.readabilityHandler = { [self] file in
            let data = file.availableData
            if data.isEmpty { file.readabilityHandler = nil }
            received(data)
        }
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

    /// Cuts bytes into lines; no bytes are the end.
    private func received(_ data: Data) {
        state.withLock { state in
            state.hasEnded = data.isEmpty
            state.partialLine += data
            var lines = state.partialLine.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            state.partialLine = Array(lines.removeLast())
            state.lines += lines.map { String(decoding: $0, as: UTF8.self) }
            guard let waiting = state.waiting, state.hasEnded || !state.lines.isEmpty else { return }
            state.waiting = nil
            waiting.resume(returning: state.lines.isEmpty ? nil : state.lines.removeFirst())
        }
    }
}
