import ArgumentParser
import CarillonClient
import CarillonClock
import CarillonCommandLine
import CarillonCore

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

/// Formats the description of a server for users and as JSON.
extension ServerInfo {
    /// Returns the server as JSON; its names are stable.
    func json(_ roundTrip: Duration) -> JSON {
        .members([
            "server": .text(software),
            "round_trip_us": .number(roundTrip.microseconds),
            "epoch": .text(epoch.description),
            "node": node.map { .text($0) },
            "cluster": cluster.map { .text($0.description) },
            "clock_ms": .number(clock.milliseconds),
            "principal": principal.map { .text($0) },
            "grants": .list(
                grants.map { grant in
                    .members(["app": .text(grant.app?.name ?? "*"), "roles": .list(grant.names.map { .text($0) })])
                }
            ),
        ])
    }

    func table(_ roundTrip: Duration, at now: Timestamp) -> String {
        let microseconds = roundTrip.microseconds
        let milliseconds = "\(microseconds / 1_000).\(String(1_000 + microseconds % 1_000).dropFirst())"
        var rows = [("server", software), ("round trip", "\(milliseconds) ms")]
        if let node { rows.append(("node", node)) }
        let skew = max(clock.milliseconds(since: now), now.milliseconds(since: clock))
        // Registrations have times: if the clocks differ much, the wrong registration may win.
        if skew > 2_000 { rows.append(("clock", "differs by \(TimeSpan(milliseconds: skew).text)")) }
        if let principal { rows.append(("principal", principal)) }
        for grant in grants {
            rows.append(("grant", "\(grant.app?.name ?? "*"): \(grant.names.joined(separator: ", "))"))
        }
        return TwoColumnTable.text(of: rows)
    }
}

extension Grant {
    var names: [String] { Roles.named.filter { roles.contains($0.role) }.map(\.name) }
}

extension Duration {
    /// The duration in whole microseconds; 0 for a negative duration.
    var microseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(clamping: seconds) * 1_000_000 + UInt64(clamping: attoseconds / 1_000_000_000_000)
    }
}
