/// A setting, or a file that a setting names, that cannot be used. The server does not start.
package struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting or file.
    package var place: String
    /// The fault and its remedy.
    package var text: String

    package init(_ place: String, fault text: String) {
        self.place = place
        self.text = text
    }

    /// The place and the text.
    package var description: String { "\(place): \(text)" }
}
