import CarillonArguments

/// An argument `name=text`: a member of the payload for the app.
struct DataArgument: ExplainedArgument {
    let name: String
    let text: String

    init?(argument: String) {
        guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else { return nil }
        name = String(argument[..<sign])
        text = String(argument[argument.index(after: sign)...])
    }

    static func fault(of argument: String) -> String { "it is NAME=TEXT" }
}
