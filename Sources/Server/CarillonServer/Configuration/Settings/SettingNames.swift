import CarillonSpelling
import FoundationEssentials

/// The names in a file of settings. Without this check a misspelt name would silently have no effect.
package struct SettingNames: Decodable, Sendable {
    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The depth to which objects are read; no setting is as deep.
    private static let maximumDepth = 4

    private var names: [String] = []

    /// Reads the names without the values.
    package init(from decoder: any Decoder) throws {
        try collect(try decoder.container(keyedBy: Name.self), prefix: "", depth: 1)
    }

    private mutating func collect(_ container: KeyedDecodingContainer<Name>, prefix: String, depth: Int) throws {
        for key in container.allKeys {
            let name = prefix + key.stringValue
            // Why try?: anything but an object is a value, and its type is checked when it is read.
            let inner =
                depth < Self.maximumDepth ? try? container.nestedContainer(keyedBy: Name.self, forKey: key) : nil
            guard let inner else {
                names.append(name)
                continue
            }
            try collect(inner, prefix: name + ".", depth: depth + 1)
        }
    }

    /// Refuses a file with a name that is not a setting.
    package static func check(path: String) throws(SettingsError) {
        let file = try JSONFile.load(SettingNames.self, path: path, hasComments: true)
        let known = Setting.all.map(\.name)
        guard let unknown = file.names.sorted().first(where: { !known.contains($0) }) else { return }
        let suggestion = Spelling.suggestion(for: unknown, among: known)
        throw SettingsError(
            path,
            fault: "\(unknown) is not a setting.\(suggestion.isEmpty ? " carillond --help lists them." : suggestion)")
    }
}
