import CarillonCore

/// The form of a text in the lines of JSON that simulators write.
extension String {
    /// The text as a string of JSON, with its quotes.
    package var asJSON: String { JSONValue.quoted(self) }
}
