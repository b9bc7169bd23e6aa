import Foundation

/// An error in a file or a command, as text for the user.
package struct SimulatorError: Error, CustomStringConvertible {
    /// The error as a sentence without a full stop, which begins with a small letter or a name.
    package var text: String

    package init(text: String) { self.text = text }

    package var description: String { text }
}
