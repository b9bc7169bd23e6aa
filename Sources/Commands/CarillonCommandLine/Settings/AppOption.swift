package import ArgumentParser
import CarillonArguments
package import CarillonCore
import Foundation

/// The option for the app of a command, which has a default in the environment and in the configuration file.
package struct AppOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The app: its bundle id. In the environment: CARILLON_APP, in the file: app.", valueName: "bundle-id"))
    package var app: AppID?

    package init() {}

    /// Returns the app of a command without `--app`: the environment's, else the app of the configuration file or its
    /// context.
    package static func standard(
        config: String?, context: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> AppID {
        if let typo = EnvironmentVariables.typo(in: environment.keys) { throw CommandError.unusable(typo) }
        if let name = environment["CARILLON_APP"], !name.isEmpty {
            guard let app = AppID(name) else {
                throw CommandError.unusable("CARILLON_APP is '\(name)': \(AppID.fault(of: name))")
            }
            return app
        }
        if let app = try ConfigFile.find(
            config, context: context, environment: environment.filter({ !$0.value.isEmpty })
        ).app {
            return app
        }
        throw CommandError.unusable(
            "the app is missing: --app BUNDLE-ID, or CARILLON_APP in the environment, or app in the configuration file")
    }
}
