/// The key of a configuration.
extension CarillonClient.Configuration {
    /// An API key, 1 to 256 bytes, or where it comes from. It is never printed.
    public enum APIKey: Sendable {
        /// The key.
        case value(String)
        /// A file, which is read at each connection: the key can be replaced without a restart. White space at its ends
        /// is dropped.
        case file(String)
        /// A function, which is called at each connection, for example to ask a vault. It has the time of
        /// `connectTimeout`.
        case function(@Sendable () async throws -> String)
    }
}

extension CarillonClient.Configuration.APIKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// Where the key comes from; never the key.
    public var description: String {
        switch self {
        case .value: "an API key"
        case .file(let path): "the API key in \(path)"
        case .function: "an API key of a function"
        }
    }

    /// As `description`.
    public var debugDescription: String { description }
    /// As `description`.
    public var customMirror: Mirror { Mirror(self, children: ["APIKey": description]) }
}
