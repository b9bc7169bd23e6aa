public import ArgumentParser
import CarillonArguments
public import CarillonCore
import CarillonSpelling

/// Push types, and the types below, as arguments of the command line.
extension PushType: ExpressibleByArgument {
    /// Finds a push type by its name, such as `voip`.
    public init?(argument: String) { self.init(name: argument) }
    /// The names of all push types.
    public static var allValueStrings: [String] { allCases.map(\.name) }
}

extension Priority: ExpressibleByArgument {
    /// Finds a priority by its number in APNs.
    public init?(argument: String) {
        guard let number = UInt8(argument) else { return nil }
        self.init(rawValue: number)
    }
    /// The numbers of all priorities, the highest first.
    public static var allValueStrings: [String] { ["10", "5", "1"] }
}

extension Lane: ExpressibleByArgument {
    /// Finds a lane by its name.
    public init?(argument: String) {
        guard let match = Self.allCases.first(where: { String(describing: $0) == argument }) else { return nil }
        self = match
    }
    /// The names of both lanes.
    public static var allValueStrings: [String] { allCases.map { String(describing: $0) } }
}

extension OverBudget: ExpressibleByArgument {
    /// Finds the case by its name.
    public init?(argument: String) {
        switch argument {
        case "drop": self = .drop
        case "wait": self = .wait
        default: return nil
        }
    }
    /// The names of both cases.
    public static var allValueStrings: [String] { ["drop", "wait"] }
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
    /// Finds a kind by its name, such as `delivery-failed`.
    public init?(argument: String) { self.init(name: argument) }
    /// The names of all kinds.
    public static var allValueStrings: [String] { all.map(\.description) }
    /// The kinds, for shell completion.
    public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension PushNotification.InterruptionLevel: ExpressibleByArgument {}
