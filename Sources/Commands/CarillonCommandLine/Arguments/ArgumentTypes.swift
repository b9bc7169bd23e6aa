public import ArgumentParser
import CarillonArguments
public import CarillonCore

/// App ids, and the types of the domain below, as arguments of a command line.
extension AppID: ExplainedArgument {
    package init?(argument: String) { self.init(argument) }

    package static func fault(of argument: String) -> String {
        "a bundle id has 1 to \(maximumBytes) letters, digits, '.' and '-'"
            + argument.offender { AppID(String($0)) != nil }
    }
}

extension DeviceToken: ExplainedArgument {
    package init?(argument: String) { self.init(hex: argument) }

    package static func fault(of argument: String) -> String {
        if let wrong = argument.first(where: { !$0.isASCII || !$0.isHexDigit }) {
            return "'\(wrong)' is not a hexadecimal digit"
        }
        let digits = argument.utf8.count
        return digits.isMultiple(of: 2)
            ? "a token has 1 to \(maximumBytes) bytes, not \(digits / 2)"
            : "a byte has two hexadecimal digits, and this has \(digits)"
    }
}

extension DeviceID: ExplainedArgument {
    package init?(argument: String) {
        guard let number = UInt64(argument) else { return nil }
        self.init(rawValue: number)
    }

    package static func fault(of argument: String) -> String { "a device id is a whole number" }
}

extension MessageID: ExplainedArgument {
    package init?(argument: String) {
        guard let number = UInt64(argument), number > 0 else { return nil }
        self.init(rawValue: number)
    }

    package static func fault(of argument: String) -> String { "the number of a message is a whole number from 1" }
}

extension UUIDBytes: ExplainedArgument {
    package init?(argument: String) {
        self.init(argument)
        if self == .zero { return nil }
    }

    package static func fault(of argument: String) -> String {
        "a key is a UUID such as 00000000-0000-4000-8000-000000000001, and not all zeros"
    }
}

extension GroupName: ExplainedArgument {
    package init?(argument: String) { self.init(argument) }

    package static func fault(of argument: String) -> String { argument.faultOfSetName("group") }
}

extension TopicName: ExplainedArgument {
    /// Parses an argument of the command line; FCM's prefix `/topics/` is removed.
    package init?(argument: String) { self.init(argument) }

    package static func fault(of argument: String) -> String { argument.faultOfSetName("topic") }
}

extension AttributeChange: ExplainedArgument {
    /// Parses `key=value`; an empty value removes the attribute.
    package init?(argument: String) {
        guard let sign = argument.firstIndex(of: "=") else { return nil }
        self.init(key: String(argument[..<sign]), value: String(argument[argument.index(after: sign)...]))
        if key.isReserved { return nil }
    }

    package static func fault(of argument: String) -> String {
        guard let sign = argument.firstIndex(of: "=") else { return "an attribute is KEY=VALUE" }
        guard let key = AttributeKey(String(argument[..<sign])) else {
            return "a key has 1 to \(AttributeKey.maximumBytes) letters, digits, '-', '_' and '.'"
        }
        guard !key.isReserved else { return "'\(key)' follows from the device and cannot be set" }
        return "a value has 1 to \(AttributeValue.maximumBytes) letters, digits and -_.~%/:@+; an empty one removes it"
    }
}

extension String {
    /// Returns the reason why the text is not the name of a topic or group.
    fileprivate func faultOfSetName(_ kind: String) -> String {
        if hasPrefix("/") { return "the name of a \(kind) does not begin with '/'" }
        return "the name of a \(kind) has 1 to \(GroupName.maximumBytes) letters, digits and -_.~%/:@+"
            + offender { GroupName("a\($0)") != nil }
    }

    /// Returns the first character that is not allowed, for the end of a sentence; empty if the length is at fault.
    fileprivate func offender(_ isAllowed: (Character) -> Bool) -> String {
        first { !isAllowed($0) }.map { "; '\($0)' is not allowed" } ?? ", not \(utf8.count)"
    }
}

extension APNsEnvironment: ExpressibleByArgument {
    /// Finds an environment by its name.
    public init?(argument: String) { self.init(name: argument) }
    /// The names of both environments.
    public static var allValueStrings: [String] { allCases.map(\.name) }
}

extension TokenKind: ExpressibleByArgument {
    /// Finds a kind by its name, such as `voip`.
    public init?(argument: String) { self.init(name: argument) }
    /// The names of all kinds.
    public static var allValueStrings: [String] { allCases.map(\.name) }
}

extension MessageState: ExpressibleByArgument {
    private static let all: [MessageState] = [.waiting, .sending, .finished, .scheduled, .paused]

    /// Finds a state by its name, such as `paused`.
    public init?(argument: String) {
        guard let match = Self.all.first(where: { $0.name == argument }) else { return nil }
        self = match
    }
    /// The names of all states.
    public static var allValueStrings: [String] { all.map(\.name) }
}
