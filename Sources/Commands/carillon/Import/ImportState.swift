import ArgumentParser
import Foundation

/// The state of an import: all lines before `offset` are answered, no line after it is counted.
struct ImportState: Codable, Equatable {
    /// The fingerprint of the file.
    var file: String
    /// The options that decide the meaning of a line.
    var options: String
    /// The time at which the import started: the time of a line that has none. An interruption does not change it, so
    /// a line that is sent again does not get a newer time.
    var startedAt: UInt64
    /// The number of bytes of the file that are done.
    var offset: UInt64 = 0
    var lines = 0
    /// The number of registrations by result.
    var results: [String: Int] = [:]
    var refused = 0
    /// The number of bytes of the report about refused lines.
    var reportBytes: UInt64 = 0

    /// The number of lines that were registered.
    var registered: Int { results.values.reduce(0, +) }

    /// Returns the fingerprint of a file: its length and a hash of its first 64 KiB (FNV-1a). Returns nil if it cannot
    /// be read.
    static func fingerprint(of path: String, length: UInt64) -> String? {
        // Why try?: nil says that it cannot be read.
        guard let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: 1 << 16) else {
            return nil
        }
        let sum = head.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "\(length)-\(String(sum, radix: 16))"
    }
}

/// The file that stores the state of an import, beside the imported file.
struct ImportStateFile {
    let path: String

    /// Reads the state of an interrupted import; returns nil if no import was interrupted.
    func load() throws -> ImportState? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        // Why try?: the error that is thrown says what to do.
        guard let state = try? JSONDecoder().decode(ImportState.self, from: data) else {
            throw ValidationError("\(path) is not the state of an import; --restart starts again.")
        }
        return state
    }

    /// Writes the state atomically: an interruption leaves the old state or the new one.
    func save(_ state: ImportState) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            try encoder.encode(state).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw ValidationError(
                "The state of the import cannot be written to \(path); --state FILE gives another path.")
        }
    }

    /// Removes the file at the end of an import.
    func remove() {
        // Why try?: a missing file is as good as a removed one.
        try? FileManager.default.removeItem(atPath: path)
    }
}
