import CarillonCommandLine
import Foundation

/// The JSON of a result, in a file or on standard output.
enum RunFile {
    /// The name that means standard output.
    static let standardOutput = "-"

    /// The largest file, in bytes.
    private static let maximumBytes = 256 << 20

    static func data(of result: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return try encoder.encode(result)
    }

    static func write(_ result: some Encodable, to path: String) throws {
        let data = try data(of: result)
        guard path != standardOutput else { return StandardOutput.printLine(String(decoding: data, as: UTF8.self)) }
        try data.write(toPath: path)
    }

    static func read(_ path: String) throws -> RunResult {
        // Why try?: the error that is thrown says as much.
        guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int, size <= maximumBytes,
            let data = FileManager.default.contents(atPath: path)
        else { throw LoadTestError("\(path) cannot be read.") }
        return try result(of: data, named: path)
    }

    static func result(of data: Data, named name: String) throws -> RunResult {
        struct Version: Decodable { var version: Int }
        // Why try?: the error that is thrown says as much.
        guard let version = try? JSONDecoder().decode(Version.self, from: data).version else {
            throw LoadTestError("\(name) is not a result of carillon-load.")
        }
        guard version == RunResult.currentVersion else {
            throw LoadTestError("\(name) has format \(version); this program reads \(RunResult.currentVersion).")
        }
        do {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let result = try decoder.decode(RunResult.self, from: data)
            guard result.isPlausible else { throw LoadTestError("\(name) is damaged: it has impossible values.") }
            return result
        } catch let error as DecodingError {
            throw LoadTestError("\(name) is damaged: \(error)")
        }
    }
}

extension Data {
    /// Writes a file in one step: a reader sees all of the file or no change.
    func write(toPath path: String) throws(LoadTestError) {
        do {
            try write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw LoadTestError("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
