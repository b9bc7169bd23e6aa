import ArgumentParser
import CarillonCore
import Foundation

/// How far an import has come: all lines before `offset` are answered, none after it is counted.
struct ImportState: Codable, Equatable {
    /// The first bytes of the file and its length, to know it again.
    var file: String
    /// The options that decide what a line means.
    var options: String
    /// When the import began: what lines without a time get, also after an interruption, so that a line that is sent
    /// again is not newer than it was.
    var startedAt: UInt64
    /// Bytes of the file that are done.
    var offset: UInt64 = 0
    /// Lines that are done.
    var lines = 0
    /// Registrations by what they did.
    var results: [String: Int] = [:]
    /// Lines that were refused.
    var refused = 0
    /// Bytes of the report about them.
    var reportBytes: UInt64 = 0

    /// Lines that were registered.
    var registered: Int { results.values.reduce(0, +) }

    /// What tells one file from another: its length and a sum of its first 64 KiB (FNV-1a).
    static func fingerprint(of path: String, length: UInt64) -> String? {
        guard let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: 1 << 16) else {
            return nil
        }
        let sum = head.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "\(length)-\(String(sum, radix: 16))"
    }
}

/// The file in which an import keeps its state, beside the file that is imported.
struct ImportStateFile {
    let path: String

    /// What an interrupted import has left; nil if there was none.
    func load() throws -> ImportState? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        guard let state = try? JSONDecoder().decode(ImportState.self, from: data) else {
            throw ValidationError("\(path) is not the state of an import; --restart begins anew.")
        }
        return state
    }

    /// Writes the state in one step, so that an interruption leaves the old one or the new one.
    func save(_ state: ImportState) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            try encoder.encode(state).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw ValidationError(
                "The state of the import cannot be written to \(path); --state FILE names another place.")
        }
    }

    /// Nothing is left to go on with.
    func remove() {
        // Why: that there is none is as good.
        try? FileManager.default.removeItem(atPath: path)
    }
}
