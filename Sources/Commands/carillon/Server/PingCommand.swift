import ArgumentParser
import CarillonClient
import CarillonClock
import CarillonCommandLine

struct PingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping",
        abstract:
            "Tests the connection: shows the round trip, the server's version, and the client's principal and roles.",
        discussion: """
            Examples:
              carillon ping --server unix:/run/carillon.sock
              carillon ping --server push.internal:7474 --ca ca.pem --api-key-file key
            """
    )

    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            let information = try await client.serverInfo()
            let roundTrip = try await client.ping()
            StandardOutput.printLine(
                server.json
                    ? information.json(roundTrip).line : information.table(roundTrip, at: Clock.wallTime())
            )
        }
    }
}
