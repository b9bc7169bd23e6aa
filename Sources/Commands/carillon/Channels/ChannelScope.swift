import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

/// The app and the environment of broadcast channels.
struct ChannelScope: ParsableArguments {
    @OptionGroup var app: AppOption

    @Option(help: "The environment of the channels.")
    var environment = APNsEnvironment.production
}

extension ChannelID: ExplainedArgument {
    package init?(argument: String) { self.init(argument) }

    package static func fault(of argument: String) -> String {
        "the id of a channel has 1 to \(maximumBytes) letters, digits, '+', '/', '=', '-' and '_'"
    }
}

extension StoragePolicy: ExplainedArgument {
    package init?(argument: String) { self.init(name: argument) }

    package static func fault(of argument: String) -> String { "a storage policy is none or most-recent" }
}
