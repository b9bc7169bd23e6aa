import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

/// The options for the listed apps.
struct AppOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The app: its bundle id. Default: with --data all apps, with a server CARILLON_APP or app of the file.",
            valueName: "bundle-id"))
    var app: AppID?

    /// The apps to list.
    ///
    /// A server does not list its apps: without `--app` it is asked for the default of the environment or of the
    /// configuration file, as `server` says.
    func apps(of rowSource: any RowSource, server: ServerOptions) async throws -> [AppID] {
        if let app { return [app] }
        if let apps = try await rowSource.apps() { return apps }
        return [try server.app()]
    }
}
