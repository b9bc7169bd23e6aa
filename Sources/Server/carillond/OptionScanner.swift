import CarillonSpelling

/// A command line that cannot be understood.
struct UsageError: Error, CustomStringConvertible {
    /// The fault and, if it is known, the name that was meant.
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The arguments of a command line, sorted into options and operands. Sorting does no I/O.
struct OptionScanner {
    /// An option of a command.
    struct Option {
        /// The value that follows the name.
        enum Value {
            case none
            case required
            /// The option has `true` or `false`, which may be left out.
            case flag
        }

        var name: String
        var value = Value.required
        var isRepeated = false
    }

    /// The values by option, in the order of the command line; `true` for an option without a value.
    private(set) var values: [String: [String]] = [:]
    /// The options in the order of the command line, each with its value, as `--name=value`.
    private(set) var options: [String] = []
    /// The other arguments, in the order of the command line.
    private(set) var operands: [String] = []

    /// Sorts the arguments. Refuses an unknown option, an option without its value, a value for an option that takes
    /// none, and an option that is given twice.
    init(_ arguments: some Sequence<String>, known: [Option]) throws(UsageError) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), argument != "-" else {
                operands.append(argument)
                continue
            }
            if argument == "--" {
                operands += rest
                return
            }
            let name = argument == "-h" ? "--help" : String(argument.prefix { $0 != "=" })
            guard let option = known.first(where: { $0.name == name }) else {
                throw UsageError("unknown option '\(name)'.\(Spelling.suggestion(for: name, among: known.map(\.name)))")
            }
            var value = argument.firstIndex(of: "=").map { String(argument[argument.index(after: $0)...]) }
            switch option.value {
            case .none:
                guard value == nil else { throw UsageError("\(name) takes no value") }
            case .flag:
                if value == nil, let next = rest.first, Bool(next) != nil { value = rest.popFirst() }
            case .required:
                if value == nil, let next = rest.first, !next.hasPrefix("--") { value = rest.popFirst() }
                guard value != nil else { throw UsageError("\(name) needs a value") }
            }
            if let earlier = values[name]?.first, !option.isRepeated {
                throw UsageError("\(name) is given twice: \(earlier) and \(value ?? "true")")
            }
            values[name, default: []].append(value ?? "true")
            options.append(value.map { "\(name)=\($0)" } ?? name)
        }
    }
}
