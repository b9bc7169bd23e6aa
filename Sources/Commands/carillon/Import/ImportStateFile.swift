import ArgumentParser
import Foundation

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
