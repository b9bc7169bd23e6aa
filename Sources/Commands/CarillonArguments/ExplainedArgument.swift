package import ArgumentParser

/// The type of an argument that says why a text is none of its values.
///
/// ArgumentParser's own `ExpressibleByArgument` only says that the text is invalid.
package protocol ExplainedArgument: Sendable {
    /// Parses an argument of the command line; returns nil if `argument` is no value.
    init?(argument: String)

    /// Returns the reason why `argument`, for which `init` returns nil, is no value: part of a sentence, without a full
    /// stop.
    static func fault(of argument: String) -> String

    /// The value as the default of an option in `--help`.
    var defaultText: String { get }
}

/// The error of an argument that is refused.
package struct ArgumentError: Error, CustomStringConvertible {
    /// The reason: part of a sentence, without a full stop.
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}

extension ExplainedArgument {
    /// The value as Swift describes it.
    package var defaultText: String { "\(self)" }

    /// Parses an argument, or throws the reason why it is refused.
    @Sendable package static func parse(_ argument: String) throws(ArgumentError) -> Self {
        guard let value = Self(argument: argument) else { throw ArgumentError(fault(of: argument)) }
        return value
    }
}

extension Option {
    /// Makes an option that is required.
    package init(help: ArgumentHelp? = nil, completion: CompletionKind? = nil) where Value: ExplainedArgument {
        self.init(name: .long, parsing: .next, help: help, completion: completion, transform: Value.parse)
    }

    /// Makes an option with a default.
    package init(wrappedValue: Value, help: ArgumentHelp? = nil) where Value: ExplainedArgument {
        var help = help ?? ArgumentHelp()
        help.abstract += "\(help.abstract.isEmpty ? "" : " ")(default: \(wrappedValue.defaultText))"
        self.init(
            wrappedValue: wrappedValue, name: .long, parsing: .next, help: help, completion: nil, transform: Value.parse
        )
    }

    /// Makes an option that may be absent.
    package init<T: ExplainedArgument>(help: ArgumentHelp? = nil, completion: CompletionKind? = nil) where Value == T? {
        self.init(name: .long, parsing: .next, help: help, completion: completion, transform: T.parse)
    }

    /// Makes an option that may be repeated.
    package init<T: ExplainedArgument>(
        wrappedValue: Value, help: ArgumentHelp? = nil, completion: CompletionKind? = nil
    ) where Value == [T] {
        self.init(
            wrappedValue: wrappedValue, name: .long, parsing: .singleValue, help: help, completion: completion,
            transform: T.parse)
    }
}

extension Argument {
    /// Makes an argument that is required.
    package init(help: ArgumentHelp? = nil, completion: CompletionKind? = nil) where Value: ExplainedArgument {
        self.init(help: help, completion: completion, transform: Value.parse)
    }

    /// Makes an argument that may be absent.
    package init<T: ExplainedArgument>(help: ArgumentHelp? = nil, completion: CompletionKind? = nil) where Value == T? {
        self.init(help: help, completion: completion, transform: T.parse)
    }

    /// Makes an argument that stands once or several times.
    package init<T: ExplainedArgument>(help: ArgumentHelp? = nil, completion: CompletionKind? = nil)
    where Value == [T] {
        self.init(parsing: .remaining, help: help, completion: completion, transform: T.parse)
    }
}
