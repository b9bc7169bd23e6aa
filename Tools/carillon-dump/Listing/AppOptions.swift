import ArgumentParser
import CarillonCommandLine
import CarillonCore

/// The options for the listed apps.
struct AppOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app: its bundle id. Default with --data: all apps.", valueName: "bundle-id"))
    var app: AppID?

    /// The apps to list.
    func apps(of rowSource: any RowSource) async throws -> [AppID] {
        if let app { return [app] }
        guard let apps = try await rowSource.apps() else { throw ValidationError("--app is required with a server.") }
        return apps
    }
}
