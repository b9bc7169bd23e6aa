import Foundation

/// Results as files of JSON.
enum RunFile {
    /// Larger files are none of ours.
    private static let byteLimit = 256 << 20

    static func data(of result: RunResult) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(result)
    }

    static func write(_ result: RunResult, to path: String) throws {
        do {
            try data(of: result).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Problem("\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    static func read(_ path: String) throws -> RunResult {
        guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int, size <= byteLimit,
            let data = FileManager.default.contents(atPath: path)
        else { throw Problem("\(path) cannot be read.") }
        return try result(of: data, named: path)
    }

    static func result(of data: Data, named name: String) throws -> RunResult {
        struct Version: Decodable { var version: Int }
        guard let version = try? JSONDecoder().decode(Version.self, from: data).version else {
            throw Problem("\(name) is no result of carillon-load.")
        }
        guard version == RunResult.currentVersion else {
            throw Problem("\(name) has the form \(version); this program reads \(RunResult.currentVersion).")
        }
        do {
            let result = try JSONDecoder().decode(RunResult.self, from: data)
            guard result.isPlausible else { throw Problem("\(name) is damaged: it has figures that cannot be.") }
            return result
        } catch let error as DecodingError {
            throw Problem("\(name) is damaged: \(error)")
        }
    }
}
