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

    /// Returns the apps to list.
    ///
    /// A server does not list its apps. Without `--app`, only the default app is listed, which the environment or the
    /// configuration file names.
    func apps(of rowSource: any RowSource, server: ServerOptions) async throws -> [AppID] {
        if let app { return [app] }
        if let apps = try await rowSource.apps() { return apps }
        return [try server.app()]
    }
}
