import CarillonArguments
import CarillonCore

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

/// An argument `zh=text`: a text in a language.
struct TranslationArgument: ExplainedArgument {
    let language: String
    let text: String

    init?(argument: String) {
        guard let pair = DataArgument(argument: argument), DeviceFieldSyntax.isLanguageTag(pair.name) else {
            return nil
        }
        language = pair.name
        text = pair.text
    }

    static func fault(of argument: String) -> String {
        DataArgument(argument: argument).map {
            "'\($0.name)' is not a language tag: 2 to 35 letters, digits and '-', such as zh-Hant"
        } ?? "it is LANGUAGE=TEXT, such as zh=你好"
    }
}
