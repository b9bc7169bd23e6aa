public import ArgumentParser
public import CarillonCore

extension AppID: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) { self.init(argument) }
}

extension DeviceToken: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) { self.init(hex: argument) }
}

extension DeviceID: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) {
        guard let number = UInt64(argument) else { return nil }
        self.init(rawValue: number)
    }
}

extension MessageID: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) {
        guard let number = UInt64(argument), number > 0 else { return nil }
        self.init(rawValue: number)
    }
}

extension UUIDBytes: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) {
        self.init(argument)
        if self == .zero { return nil }
    }
}

extension GroupName: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) { self.init(argument) }
}

extension TopicName: ExpressibleByArgument {
    /// Reads an argument of the command line; FCM's `/topics/` before it is taken off.
    public init?(argument: String) { self.init(argument) }
}

extension AttributeChange: ExpressibleByArgument {
    /// Reads `key=value`; an empty value forgets the key.
    public init?(argument: String) {
        guard let sign = argument.firstIndex(of: "=") else { return nil }
        self.init(key: String(argument[..<sign]), value: String(argument[argument.index(after: sign)...]))
        if key.isReserved { return nil }
    }
}

extension Environment: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) { self.init(name: argument) }
    /// For `--help`.
    public static var allValueStrings: [String] { allCases.map(\.name) }
    /// The names say enough.
    public static var allValueDescriptions: [String: String] { [:] }
}

extension TokenKind: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) { self.init(name: argument) }
    /// For `--help`.
    public static var allValueStrings: [String] { allCases.map(\.name) }
    /// The names say enough.
    public static var allValueDescriptions: [String: String] { [:] }
}
