import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Lists the devices whose tokens a provider has declared dead.",
        discussion: """
            Examples:
              carillon-dump quarantine --data /var/lib/carillon --csv

            `carillon device restore` restores one.
            """
    )

    @OptionGroup var apps: AppOptions
    @OptionGroup var rows: DumpRowOptions
    @OptionGroup var source: SourceOptions

    func run() async throws {
        try await source.run { rowSource in
            let output = try rows.output(DevicesCommand.columns)
            for app in try await apps.apps(of: rowSource, server: source.server) {
                try await list(app, from: rowSource, to: output)
            }
            try output.flush()
        }
    }

    /// Writes the quarantined devices of an app, as long as the output takes rows.
    private func list(_ app: AppID, from rowSource: any RowSource, to output: RowOutput) async throws {
        var cursor: UInt64?
        repeat {
            let page = try await rowSource.quarantinedDevices(of: app, from: cursor)
            for id in page.rows where !output.isFull {
                guard let device = try await rowSource.device(.id(id), of: app) else { continue }
                try output.append(device.values(of: app, token: source.token))
            }
            cursor = page.next
        } while cursor != nil && !output.isFull
    }
}
