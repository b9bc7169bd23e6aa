/// The key of a configuration.
extension CarillonClient.Configuration {
    /// An API key of 1 to 256 bytes, or the place from which it is read. It is never printed.
    public enum APIKey: Sendable {
        /// The key itself.
        case value(String)
        /// A file, which is read at each connection: the key can be replaced without a restart. White space at its ends
        /// is dropped.
        case file(String)
        /// A function that returns the key. It is called at each connection, for example to ask a vault, and has the
        /// time of `connectTimeout`.
        case function(@Sendable () async throws -> String)
    }
}

extension CarillonClient.Configuration.APIKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The place from which the key is read; never the key.
    public var description: String {
        switch self {
        case .value: "an API key"
        case .file(let path): "the API key in \(path)"
        case .function: "an API key of a function"
        }
    }

    /// The same text as `description`.
    public var debugDescription: String { description }
    /// The same text as `description`.
    public var customMirror: Mirror { Mirror(self, children: ["APIKey": description]) }
}
