import ArgumentParser
import CarillonArguments
import CarillonSpelling

extension Mix: ExplainedArgument {
    init?(argument: String) { self.init(argument) }

    static func fault(of argument: String) -> String {
        let known = LoadOperation.allCases.map(\.name)
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let name = String(part.prefix { $0 != "=" })
            guard !known.contains(name) else { continue }
            let hint = Spelling.nearest(to: name, among: known).map { "did you mean '\($0)'?" }
            return "there is no operation '\(name)'; \(hint ?? "the operations are \(known.joined(separator: ", "))")"
        }
        return "it is NAME=SHARE,…, each name once, with shares from 1 to 1000000"
    }

    var defaultText: String { text }
}

extension KeyDistribution: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
    var defaultValueDescription: String { text }
}

extension Schedule.Arrivals: ExpressibleByArgument {}
