import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

/// What is looked into: a data directory, or a server.
struct SourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A data directory, as in data.path of carillond. Without it a server.", valueName: "directory"))
    var data: String?

    @Flag(help: "Whole tokens; usually only their beginning is shown.")
    var fullTokens = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard data == nil || server.server == nil else {
            throw ValidationError("--data and --server exclude each other.")
        }
    }

    /// A token as it is shown.
    func text(of token: DeviceToken) -> String { fullTokens ? token.hex : token.shortened }

    /// Runs `body` on what is looked into.
    func run(_ body: (any RowSource) async throws -> Void) async throws {
        guard let data else {
            return try await server.run { client in try await body(ServerRowSource(client: client)) }
        }
        let registry = try DataDirectory(path: data).open()
        defer { registry.close() }
        do {
            try await body(DirectoryRowSource(registry: registry))
        } catch let error as RegistryError {
            throw Failure.reading(data, error)
        }
    }
}

/// Which apps are listed.
struct AppOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app: its bundle id. Of a data directory, without it all.", valueName: "bundle-id"))
    var app: AppID?

    /// The apps to go through.
    func apps(of rowSource: any RowSource) async throws -> [AppID] {
        if let app { return [app] }
        guard let apps = try await rowSource.apps() else { throw ValidationError("A server wants to know the --app.") }
        return apps
    }
}
