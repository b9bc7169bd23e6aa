import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

/// The options for the source: a data directory or a server.
struct SourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The data directory: data.path of carillond. Default: a server.", valueName: "directory"))
    var data: String?

    @Flag(help: "Shows complete tokens. Default: only their beginning.")
    var fullTokens = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard data == nil || server.server == nil else {
            throw ValidationError("--data and --server exclude each other.")
        }
    }

    /// Returns the token of an address as text, complete or shortened.
    func token(of address: DeviceAddress) -> String { fullTokens ? address.tokenText : address.shortenedToken }

    func run(_ body: (any RowSource) async throws -> Void) async throws {
        guard let data else {
            return try await server.run { client in try await body(ServerRowSource(client: client)) }
        }
        let registry = try DataDirectory(path: data).open()
        defer { registry.close() }
        do {
            try await body(DirectoryRowSource(registry: registry))
        } catch let error as RegistryError {
            throw CommandError.unreadable(data, because: error)
        }
    }
}
