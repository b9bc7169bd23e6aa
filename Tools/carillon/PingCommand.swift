import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct PingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping",
        abstract: "Says whether the server answers, how fast, and who it takes the client for.",
        discussion: """
            Examples:
              carillon ping --server unix:/run/carillon.sock
              carillon ping --server push.internal:7474 --ca ca.pem --api-key-file key --json
            """
    )

    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            let information = try await client.serverInformation
            let roundTrip = try await client.ping()
            Terminal.say(
                server.json
                    ? information.json(roundTrip).line : information.table(roundTrip, at: .now)
            )
        }
    }
}

extension ServerInformation {
    /// The server with stable names.
    func json(_ roundTrip: Duration) -> JSON {
        .members([
            "server": .text(software),
            "round_trip_us": .number(roundTrip.microseconds),
            "epoch": .text(epoch.description),
            "clock_ms": .number(clock.milliseconds),
            "principal": principal.map { .text($0) },
            "grants": .list(
                grants.map { grant in
                    .members(["app": .text(grant.app?.name ?? "*"), "roles": .list(grant.names.map { .text($0) })])
                }
            ),
        ])
    }

    /// The server for people.
    func table(_ roundTrip: Duration, at now: Timestamp) -> String {
        let microseconds = roundTrip.microseconds
        let milliseconds = "\(microseconds / 1_000).\(String(1_000 + microseconds % 1_000).dropFirst())"
        var rows = [("server", software), ("round trip", "\(milliseconds) ms")]
        let skew = max(clock.milliseconds(since: now), now.milliseconds(since: clock))
        // Registrations carry times: clocks that differ by more than a moment decide who wins.
        if skew > 2_000 { rows.append(("clock", "differs by \(Timestamp.length(skew))")) }
        if let principal { rows.append(("principal", principal)) }
        for grant in grants {
            rows.append(("grant", "\(grant.app?.name ?? "*"): \(grant.names.joined(separator: ", "))"))
        }
        return Terminal.table(rows)
    }
}

extension Grant {
    /// The names of its roles.
    var names: [String] { Roles.named.filter { roles.contains($0.role) }.map(\.name) }
}

extension Duration {
    /// Whole microseconds; 0 for what is negative.
    var microseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(clamping: seconds) * 1_000_000 + UInt64(clamping: attoseconds / 1_000_000_000_000)
    }
}
