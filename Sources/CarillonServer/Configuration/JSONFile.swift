import CarillonCore
import FoundationEssentials
import Glibc

/// Reads small JSON files of configuration.
enum JSONFile {
    /// The largest file that is read, in bytes.
    private static let maximumBytes = 4 * 1_048_576

    /// Reads and decodes a file.
    ///
    /// - Parameters:
    ///   - hasComments: true if lines that begin with `//` are comments.
    ///   - isProtected: true if a file is refused that other users can change.
    static func load<T: Decodable>(
        _ type: T.Type, path: String, hasComments: Bool = false, isProtected: Bool = false
    ) throws(SettingsError) -> T {
        var data = try read(path: path, isProtected: isProtected)
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

    private static func read(path: String, isProtected: Bool) throws(SettingsError) -> Data {
        // O_NONBLOCK: a FIFO instead of a file must not block before it is refused.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw unreadable(path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SettingsError(path, "is not a regular file") }
        if isProtected { try checkProtection(status, path) }
        // The size of the file is not asked for first: it may grow meanwhile.
        var bytes = [UInt8](repeating: 0, count: Int(clamping: min(status.st_size, off_t(maximumBytes))) + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw unreadable(path) }
            if got == 0 { break }
            count += got
            if count == bytes.count && count <= maximumBytes { bytes += Array(repeating: 0, count: 65_536) }
        }
        guard count <= maximumBytes else { throw SettingsError(path, "is larger than \(maximumBytes) bytes") }
        return Data(bytes[..<count])
    }

    private static func unreadable(_ path: String) -> SettingsError {
        SettingsError(path, "cannot be read: \(String(cString: strerror(errno)))")
    }

    /// As for keys (`SecretBytes`), but reading is no harm: the file holds no secret.
    private static func checkProtection(_ status: stat, _ path: String) throws(SettingsError) {
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw SettingsError(path, "belongs to another user, who can change it: chown it to root")
        }
        let mode = UInt32(status.st_mode & 0o777)
        guard mode & 0o022 == 0 else {
            throw SettingsError(
                path, "has mode \(String(mode, radix: 8)), so other users can change it: chmod go-w \(path)")
        }
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
