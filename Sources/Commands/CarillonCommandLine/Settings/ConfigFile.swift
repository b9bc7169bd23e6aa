import ArgumentParser
package import CarillonCore
import CarillonSpelling
package import Foundation

/// The settings of a configuration file: the server, how to connect to it, and the default of `--app`.
///
/// One JSON object; lines that begin with `//` are comments. Paths are relative to the file, `~` is the home directory.
/// The file has no key, only the path of the file with the key. `contexts` has groups of the same settings by name; the
/// one that is used overrides the other settings of the file.
package struct ConfigFile: Equatable {
    /// The address of the server: `host:port` or `unix:path`; several, separated by commas.
    package var server: String?
    package var apiKeyFile: String?
    /// The file of the authorities.
    package var ca: String?
    /// The file of the certificate.
    package var certificate: String?
    /// The file of the certificate's key.
    package var certificateKey: String?
    /// True if TLS is not used.
    package var plaintext: Bool?
    /// The timeout of a call.
    package var timeout: TimeSpan?
    /// The app of commands without `--app`.
    package var app: AppID?
    package var contexts: [String: ConfigFile] = [:]

    /// The largest file, in bytes.
    private static let maximumBytes = 65_536

    private enum Key: String, CodingKey, CaseIterable {
        case server, apiKeyFile, ca, certificate, certificateKey, plaintext, timeout, app, contexts
    }

    /// The name of any member of a file.
    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init() {}

    /// Returns the settings of the file that `--config` or the environment gives, which must exist; else of the default
    /// file, if it exists. They include the settings of the context.
    ///
    /// - Parameter context: the context of `--context`; nil for the environment's context, else the one that was chosen
    ///   by `carillon context use`, else none.
    package static func find(
        _ path: String?, context: String? = nil, environment: [String: String]
    ) throws -> ConfigFile {
        try ContextChoice(path, context: context, environment: environment).settings()
    }

    static func read(_ path: String, environment: [String: String]) throws -> ConfigFile {
        try ConfigFile(try contents(path), path: path, home: environment["HOME"])
    }

    /// Returns the settings of a context, completed by the settings of the file.
    package func merging(_ context: ConfigFile) -> ConfigFile {
        var merged = self
        merged.server = context.server ?? server
        merged.apiKeyFile = context.apiKeyFile ?? apiKeyFile
        merged.timeout = context.timeout ?? timeout
        merged.app = context.app ?? app
        // The settings of TLS belong together.
        if context.plaintext != nil || context.ca != nil || context.certificate != nil {
            merged.plaintext = context.plaintext
            merged.ca = context.ca
            merged.certificate = context.certificate
            merged.certificateKey = context.certificateKey
        }
        return merged
    }

    private static func contents(_ path: String) throws -> Data {
        Data(try InputFile.contents(path, maximumBytes: maximumBytes + 1))
    }

    /// Returns the path of the default file (XDG Base Directory Specification); nil if it cannot be known.
    package static func defaultPath(_ environment: [String: String]) -> String? {
        let folder = environment["XDG_CONFIG_HOME"] ?? environment["HOME"].map { $0 + "/.config" }
        return folder.map { $0 + "/carillon/config.json" }
    }

    /// Parses a file.
    ///
    /// - Parameter path: the path for error messages; the paths in the file are relative to it.
    package init(_ data: Data, path: String, home: String?) throws {
        guard data.count <= Self.maximumBytes else {
            throw ValidationError("The configuration file \(path) has more than \(Self.maximumBytes) bytes.")
        }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        // A comment leaves its line empty, so that the line numbers of the parser's errors are right.
        let text = lines.map { line in
            line.drop { $0 == " " || $0 == "\t" }.hasPrefix("//") ? "" : String(line)
        }.joined(separator: "\n")
        let bytes = Array(text.utf8)
        do throws(JSONError) {
            _ = try JSONObjectParser.parse(bytes)
        } catch {
            throw ValidationError("The configuration file \(path) \(error.sentence(in: bytes)).")
        }
        do {
            self = try JSONDecoder().decode(ConfigFile.self, from: Data(text.utf8))
        } catch let DecodingError.dataCorrupted(context) {
            let place = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw ValidationError("The configuration file \(path): \(place): \(context.debugDescription)")
        } catch let DecodingError.typeMismatch(_, context) {
            let place = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw ValidationError(
                "The configuration file \(path): \(place.isEmpty ? "it" : place) has a value of the wrong type.")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try check(place: "The configuration file \(path):")
        resolvePaths(folder: folder, home: home)
        for name in contexts.keys.sorted() {
            try contexts[name]?.check(place: "The configuration file \(path): the context \(name):")
            contexts[name]?.resolvePaths(folder: folder, home: home)
        }
    }

    private func check(place: String) throws {
        guard (certificate == nil) == (certificateKey == nil) else {
            throw ValidationError("\(place) certificate and certificateKey belong together.")
        }
        guard plaintext != true || (ca == nil && certificate == nil) else {
            throw ValidationError("\(place) plaintext contradicts ca and certificate.")
        }
        for name in contexts.keys.sorted() {
            guard ContextChoice.isContextName(name) else {
                throw ValidationError("\(place) '\(name)' is not a name of a context: \(ContextChoice.nameRule).")
            }
            guard contexts[name]?.contexts.isEmpty != false else {
                throw ValidationError("\(place) the context \(name) has contexts.")
            }
        }
    }

    private mutating func resolvePaths(folder: String, home: String?) {
        for name in [\ConfigFile.apiKeyFile, \.ca, \.certificate, \.certificateKey] {
            self[keyPath: name] = self[keyPath: name].map { Self.resolved($0, folder: folder, home: home) }
        }
    }

    private static func resolved(_ path: String, folder: String, home: String?) -> String {
        if path.hasPrefix("~/"), let home { return home + path.dropFirst() }
        return path.hasPrefix("/") ? path : folder + "/" + path
    }
}

extension ConfigFile: Decodable {
    /// Decodes the members; throws if one is unknown.
    package init(from decoder: any Decoder) throws {
        let all = try decoder.container(keyedBy: AnyKey.self)
        // Otherwise a misspelt name would silently have no effect.
        for key in all.allKeys where Key(rawValue: key.stringValue) == nil {
            let known = Key.allCases.map(\.rawValue)
            let hint =
                Spelling.nearest(to: key.stringValue, among: known).map { "Did you mean '\($0)'?" }
                ?? "There are \(known.joined(separator: ", "))."
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [key], debugDescription: "no such setting. \(hint)"))
        }
        let values = try decoder.container(keyedBy: Key.self)
        server = try values.decodeIfPresent(String.self, forKey: .server)
        apiKeyFile = try values.decodeIfPresent(String.self, forKey: .apiKeyFile)
        ca = try values.decodeIfPresent(String.self, forKey: .ca)
        certificate = try values.decodeIfPresent(String.self, forKey: .certificate)
        certificateKey = try values.decodeIfPresent(String.self, forKey: .certificateKey)
        plaintext = try values.decodeIfPresent(Bool.self, forKey: .plaintext)
        timeout = try values.decodeIfPresent(String.self, forKey: .timeout).map { text in
            guard let span = TimeSpan(argument: text) else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: [Key.timeout], debugDescription: "'\(text)' is not a time, such as 30s."))
            }
            return span
        }
        app = try values.decodeIfPresent(String.self, forKey: .app).map { text in
            guard let app = AppID(text) else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: [Key.app], debugDescription: "'\(text)': \(AppID.fault(of: text))."))
            }
            return app
        }
        contexts = try values.decodeIfPresent([String: ConfigFile].self, forKey: .contexts) ?? [:]
    }
}
