import ArgumentParser
import CarillonCommandLine
import Foundation

/// The options of the commands about contexts.
struct ContextOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file. In the environment: CARILLON_CLI_CONFIG. Default: ~/.config/carillon/config.json.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var config: String?

    /// Returns the contexts of the file, and the one that is used.
    func choice(context: String? = nil) throws -> ContextChoice {
        let environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        return try ContextChoice(config, context: context, environment: environment)
    }
}
