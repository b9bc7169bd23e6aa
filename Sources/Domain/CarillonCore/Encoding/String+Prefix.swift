/// Finds the text after a prefix in one step, so that callers write the prefix once.
extension String {
    /// Returns the text after a prefix; nil if the text does not begin with it.
    package func removing(prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }

    /// Returns the text after a prefix in upper or lower case, such as the scheme of the header `authorization`; nil if
    /// the text does not begin with it.
    package func removing(prefixInAnyCase prefix: String) -> Substring? {
        lowercased().hasPrefix(prefix.lowercased()) ? dropFirst(prefix.count) : nil
    }
}
