/// A change of one attribute of a device.
public struct AttributeChange: Hashable, Sendable {
    /// The key of the attribute to set or to remove.
    public let key: AttributeKey
    /// The new value of the attribute; nil removes it.
    public let value: AttributeValue?

    /// Makes a change that sets an attribute, or with nil removes it.
    public init(key: AttributeKey, value: AttributeValue?) {
        self.key = key
        self.value = value
    }

    /// Makes a change from two strings; returns nil if one of them is not allowed. An empty value removes the
    /// attribute.
    public init?(key: String, value: String) {
        guard let key = AttributeKey(key) else { return nil }
        if value.isEmpty {
            self.init(key: key, value: nil)
        } else {
            guard let value = AttributeValue(value) else { return nil }
            self.init(key: key, value: value)
        }
    }
}
