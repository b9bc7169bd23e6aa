import ArgumentParser
import CarillonCore

/// An argument `name=text`: a member of the payload for the app.
struct DataArgument: ExpressibleByArgument {
    let name: String
    let text: String

    init?(argument: String) {
        guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else { return nil }
        name = String(argument[..<sign])
        text = String(argument[argument.index(after: sign)...])
    }
}

/// An argument `zh=text`: a text in a language.
struct TranslationArgument: ExpressibleByArgument {
    let language: String
    let text: String

    init?(argument: String) {
        guard let pair = DataArgument(argument: argument), DeviceField.isLanguageTag(pair.name) else { return nil }
        (language, text) = (pair.name, pair.text)
    }
}
