public import ArgumentParser
import CarillonArguments
public import CarillonCore
import CarillonSpelling

/// Push types as arguments of the command line; the types of messages that follow are arguments, too.
extension PushType: ExpressibleByArgument {
    /// Parses an argument of the command line.
    public init?(argument: String) { self.init(name: argument) }
    /// The values shown in `--help`.
    public static var allValueStrings: [String] { allCases.map(\.name) }
    /// The explanations of the values in `--help`: none, because the names need no explanation.
    public static var allValueDescriptions: [String: String] { [:] }
}

extension Priority: ExpressibleByArgument {
    /// Parses an argument of the command line.
    public init?(argument: String) {
        guard let number = UInt8(argument) else { return nil }
        self.init(rawValue: number)
    }
    /// The values shown in `--help`.
    public static var allValueStrings: [String] { ["10", "5", "1"] }
    /// The explanations of the values in `--help`: none, because the names need no explanation.
    public static var allValueDescriptions: [String: String] { [:] }
}

extension Lane: ExpressibleByArgument {
    /// Parses an argument of the command line.
    public init?(argument: String) {
        guard let match = Self.allCases.first(where: { String(describing: $0) == argument }) else { return nil }
        self = match
    }
    /// The values shown in `--help`.
    public static var allValueStrings: [String] { allCases.map { String(describing: $0) } }
    /// The explanations of the values in `--help`: none, because the names need no explanation.
    public static var allValueDescriptions: [String: String] { [:] }
}

extension OverBudget: ExpressibleByArgument {
    /// Parses an argument of the command line.
    public init?(argument: String) {
        switch argument {
        case "drop": self = .drop
        case "wait": self = .wait
        default: return nil
        }
    }
    /// The values shown in `--help`.
    public static var allValueStrings: [String] { ["drop", "wait"] }
    /// The explanations of the values in `--help`: none, because the names need no explanation.
    public static var allValueDescriptions: [String: String] { [:] }
}

extension Outcome: ExplainedArgument {
    /// The names of the outcomes that have one.
    static var names: [String] { named.map(\.name) }

    package init?(argument: String) {
        guard let match = Self.named.first(where: { $0.name == argument }) else { return nil }
        self = match
    }

    package static func fault(of argument: String) -> String {
        Spelling.nearest(to: argument, among: names).map { "did you mean '\($0)'?" }
            ?? "the outcomes are \(names.joined(separator: ", "))"
    }
}

extension Event.Kind: ExpressibleByArgument {
    /// Parses an argument of the command line.
    public init?(argument: String) { self.init(name: argument) }
    /// The values shown in `--help`.
    public static var allValueStrings: [String] { all.map(\.description) }
    /// The explanations of the values in `--help`: none, because the names need no explanation.
    public static var allValueDescriptions: [String: String] { [:] }
    /// The kinds, for shell completion.
    public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension PushNotification.InterruptionLevel: ExpressibleByArgument {
    /// The values shown in `--help`.
    public static var allValueStrings: [String] { allCases.map(\.rawValue) }
    /// The explanations of the values in `--help`: none, because the names need no explanation.
    public static var allValueDescriptions: [String: String] { [:] }
}
