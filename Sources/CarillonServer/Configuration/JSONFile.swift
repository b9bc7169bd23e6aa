import CarillonCore
import FoundationEssentials
import Glibc

/// Reads small JSON files of configuration.
enum JSONFile {
    /// The largest file that is read, in bytes.
    private static let byteLimit = 4 * 1_048_576

    /// Reads and decodes a file.
    ///
    /// - Parameter hasComments: true if lines that begin with `//` are comments.
    static func load<T: Decodable>(
        _ type: T.Type, path: String, hasComments: Bool = false
    ) throws(SettingsError) -> T {
        var data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw SettingsError(path, "cannot be read: \(reason(path))")
        }
        guard data.count <= byteLimit else { throw SettingsError(path, "is larger than \(byteLimit) bytes") }
        if hasComments { data = Data(data.withUnsafeBytes(CommentedJSON.withoutComments)) }
        let bytes = Array(data)
        do throws(JSONFault) {
            // The decoder says neither where the fault is, nor that it has passed over one of two equal names.
            _ = try JSONObjectScanner.scan(bytes)
        } catch {
            throw SettingsError(path, error.sentence(in: bytes))
        }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw SettingsError(path, describe(error))
        } catch {
            throw SettingsError(path, "is not JSON")
        }
    }

    /// The reason why a file cannot be read.
    private static func reason(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) < 0 ? String(cString: strerror(errno)) : "it is not a plain file"
    }

    private static func describe(_ error: DecodingError) -> String {
        func path(_ context: DecodingError.Context) -> String {
            context.codingPath.isEmpty ? "" : " at " + context.codingPath.map(\.stringValue).joined(separator: ".")
        }
        return switch error {
        case .keyNotFound(let key, let context): "\"\(key.stringValue)\" is missing" + path(context)
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "a value is of the wrong type" + path(context)
        case .dataCorrupted(let context): "is not JSON" + path(context)
        @unknown default: "cannot be decoded"
        }
    }

    /// Resolves `path` relative to the folder of `file`.
    static func resolve(_ path: String, beside file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }
}
