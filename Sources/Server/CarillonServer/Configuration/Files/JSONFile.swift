import CarillonCore
import CarillonSpelling
package import Configuration
import FoundationEssentials
import Glibc

/// Reads of small JSON files of configuration.
enum JSONFile {
    /// The largest file that is read, in bytes.
    private static let maximumBytes = 4 * 1_048_576

    /// Reads and decodes a file.
    ///
    /// - Parameters:
    ///   - shape: the names that it may have.
    ///   - hasComments: true if lines that begin with `//` are comments.
    ///   - refusesWritableByOthers: true if a file is refused that other users can change.
    static func load<T: Decodable>(
        _ type: T.Type, path: String, shape: JSONShape = .value, hasComments: Bool = false,
        refusesWritableByOthers: Bool = false
    ) throws(SettingsError) -> T {
        var data = try read(path: path, refusesWritableByOthers: refusesWritableByOthers)
        if hasComments { data = Data(data.withUnsafeBytes(CommentedJSON.withoutComments)) }
        let bytes = Array(data)
        let object: [String: JSONValue]
        do throws(JSONError) {
            // The decoder does not tell the place of the fault. It also drops one of two equal names silently.
            object = try JSONObjectParser.parse(bytes)
        } catch {
            throw SettingsError(path, fault: error.sentence(in: bytes))
        }
        if let unknown = shape.unknownName(in: .object(object)) {
            throw SettingsError(path, fault: describe(unknown, in: bytes))
        }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw SettingsError(path, fault: describe(error, in: bytes))
        } catch {
            throw SettingsError(path, fault: "is not JSON")
        }
    }

    private static func read(path: String, refusesWritableByOthers: Bool) throws(SettingsError) -> Data {
        // O_NONBLOCK: a FIFO instead of a file must not block before it is refused.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SettingsError(path, fault: "is not a regular file") }
        if refusesWritableByOthers { try checkProtection(status, path: path) }
        // The size is only the room to begin with. The file may grow while it is read, so it is read to its end.
        var bytes = [UInt8](repeating: 0, count: Int(clamping: min(status.st_size, off_t(maximumBytes))) + 1)
        var count = 0
        while count < bytes.count {
            let readCount = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            if readCount < 0 && errno == EINTR { continue }
            guard readCount >= 0 else { throw unreadable(path) }
            if readCount == 0 { break }
            count += readCount
            if count == bytes.count && count <= maximumBytes { bytes += Array(repeating: 0, count: 65_536) }
        }
        guard count <= maximumBytes else { throw SettingsError(path, fault: "is larger than \(maximumBytes) bytes") }
        return Data(bytes[..<count])
    }

    private static func unreadable(_ path: String) -> SettingsError {
        SettingsError(path, fault: "cannot be read: \(String(cString: strerror(errno)))")
    }

    /// Refuses a file that other users can change. The rule is the same as for keys (`SecretBytes`), but other users
    /// may read the file: it holds no secret.
    private static func checkProtection(_ status: stat, path: String) throws(SettingsError) {
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw SettingsError(path, fault: "belongs to another user, who can change it: chown it to root")
        }
        let mode = UInt32(status.st_mode & 0o777)
        guard mode & 0o022 == 0 else {
            throw SettingsError(
                path, fault: "has mode \(String(mode, radix: 8)), so other users can change it: chmod go-w \(path)")
        }
    }

    private static func describe(_ unknown: JSONShape.UnknownName, in bytes: [UInt8]) -> String {
        var name = ""
        if case .name(let last) = unknown.path.last { name = last }
        let suggestion = Spelling.suggestion(for: name, among: unknown.known)
        let others = suggestion.isEmpty ? " There are \(unknown.known.joined(separator: ", "))." : suggestion
        return "\(unknown.path.text) is not known\(place(of: unknown.path, in: bytes)).\(others)"
    }

    private static func describe(_ error: DecodingError, in bytes: [UInt8]) -> String {
        func path(_ context: DecodingError.Context) -> [JSONStep] {
            context.codingPath.map { key in key.intValue.map { .index($0) } ?? .name(key.stringValue) }
        }
        switch error {
        case .keyNotFound(let key, let context):
            let object = path(context)
            let name = (object + [.name(key.stringValue)]).text
            return "\"\(name)\" is missing\(object.isEmpty ? "" : place(of: object, in: bytes))"
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            return "\(path(context).text) must be \(noun(of: type))\(place(of: path(context), in: bytes))"
        // The parser has read the bytes before, so they are JSON: only a number can be wrong.
        case .dataCorrupted: return "a number is negative, too large or not whole"
        @unknown default: return "cannot be decoded"
        }
    }

    /// Returns the place as the end of a sentence; empty if it cannot be found.
    private static func place(of path: [JSONStep], in bytes: [UInt8]) -> String {
        JSONObjectParser.offset(of: path, in: bytes).map { ": \(JSONError.place(of: $0, in: bytes))" } ?? ""
    }

    private static func noun(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is any FixedWidthInteger.Type: "a whole number"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }

    /// Returns `path` as it is seen from the folder of `file`.
    static func resolve(_ path: String, beside file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }
}

/// A configuration file of JSON in which lines that begin with `//` are comments.
package struct CommentedJSON: FileConfigSnapshot {
    private let json: JSONSnapshot

    /// Reads the file's bytes without its comments.
    package init(data: RawSpan, providerName: String, parsingOptions: JSONSnapshot.ParsingOptions) throws {
        let bytes = data.withUnsafeBytes(Self.withoutComments)
        json = try JSONSnapshot(
            data: bytes.span.bytes, providerName: providerName, parsingOptions: parsingOptions)
    }

    /// Empties the lines of comments, so that errors still name the right line. A string of JSON cannot span lines, so
    /// none is changed.
    static func withoutComments(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            let words = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            return words.starts(with: "//".utf8) ? [] : Array(line)
        }
        .joined(separator: [UInt8(ascii: "\n")]).map { $0 }
    }

    package var providerName: String { json.providerName }
    package var description: String { json.description }
    package var debugDescription: String { json.debugDescription }

    package func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try json.value(forKey: key, type: type)
    }
}
