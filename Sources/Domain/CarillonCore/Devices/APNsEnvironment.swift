/// The APNs environment that a token belongs to (Protocol 16.3).
public enum APNsEnvironment: UInt8, Hashable, Sendable, CaseIterable {
    /// The environment of apps from the App Store, TestFlight and enterprise distribution.
    case production = 1
    /// The environment of apps signed for development.
    case sandbox = 2

    /// The name used in files, flags and messages.
    public var name: String {
        switch self {
        case .production: "production"
        case .sandbox: "sandbox"
        }
    }

    /// Finds the environment of that name; returns nil if no environment has it.
    public init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }
}
