public import ArgumentParser
public import CarillonCore

extension AppID: ExpressibleByArgument {
    /// Parses an argument of the command line.
    public init?(argument: String) { self.init(argument) }
}

extension DeviceToken: ExpressibleByArgument {
    /// Parses an argument of the command line.
    public init?(argument: String) { self.init(hex: argument) }
}

extension DeviceID: ExpressibleByArgument {
    /// Parses an argument of the command line.
    public init?(argument: String) {
        guard let number = UInt64(argument) else { return nil }
        self.init(rawValue: number)
    }
}

extension MessageID: ExpressibleByArgument {
    /// Parses an argument of the command line.
    public init?(argument: String) {
        guard let number = UInt64(argument), number > 0 else { return nil }
        self.init(rawValue: number)
    }
}

extension UUIDBytes: ExpressibleByArgument {
    /// Parses an argument of the command line.
    public init?(argument: String) {
        self.init(argument)
        if self == .zero { return nil }
    }
}

extension GroupName: ExpressibleByArgument {
    /// Parses an argument of the command line.
    public init?(argument: String) { self.init(argument) }
}

extension TopicName: ExpressibleByArgument {
    /// Parses an argument of the command line; FCM's prefix `/topics/` is removed.
    public init?(argument: String) { self.init(argument) }
}

extension AttributeChange: ExpressibleByArgument {
    /// Parses `key=value`; an empty value removes the attribute.
    public init?(argument: String) {
        guard let sign = argument.firstIndex(of: "=") else { return nil }
        self.init(key: String(argument[..<sign]), value: String(argument[argument.index(after: sign)...]))
        if key.isReserved { return nil }
    }
}

extension Environment: ExpressibleByArgument {
    /// Parses an argument of the command line.
    public init?(argument: String) { self.init(name: argument) }
    /// The values in `--help`.
    public static var allValueStrings: [String] { allCases.map(\.name) }
    /// Empty: the names need no explanation.
    public static var allValueDescriptions: [String: String] { [:] }
}

extension TokenKind: ExpressibleByArgument {
    /// Parses an argument of the command line.
    public init?(argument: String) { self.init(name: argument) }
    /// The values in `--help`.
    public static var allValueStrings: [String] { allCases.map(\.name) }
    /// Empty: the names need no explanation.
    public static var allValueDescriptions: [String: String] { [:] }
}

extension MessageState: ExpressibleByArgument {
    private static let all: [MessageState] = [.waiting, .sending, .finished, .scheduled, .paused]

    /// Parses an argument of the command line.
    public init?(argument: String) {
        guard let match = Self.all.first(where: { $0.name == argument }) else { return nil }
        self = match
    }
    /// The values in `--help`.
    public static var allValueStrings: [String] { all.map(\.name) }
    /// Empty: the names need no explanation.
    public static var allValueDescriptions: [String: String] { [:] }
}
