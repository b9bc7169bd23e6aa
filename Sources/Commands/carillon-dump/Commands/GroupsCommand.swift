import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct GroupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups",
        abstract: "Lists groups with their numbers of devices.",
        discussion: """
            Examples:
              carillon-dump groups --data /var/lib/carillon --prefix user/ --muted
            """
    )

    @OptionGroup var apps: AppOptions
    @OptionGroup var filter: SetFilter

    @Flag(help: "Only muted groups.")
    var muted = false

    @OptionGroup var rows: DumpRowOptions
    @OptionGroup var source: SourceOptions

    func run() async throws {
        try await source.run { rowSource in
            let output = try rows.output(["app", "group", "devices", "muted"])
            for app in try await apps.apps(of: rowSource, server: source.server) {
                try await list(app, from: rowSource, to: output)
            }
            try output.flush()
        }
    }

    /// Writes the groups of an app that the filter admits, as long as the output takes rows.
    private func list(_ app: AppID, from rowSource: any RowSource, to output: RowOutput) async throws {
        var last: GroupName?
        repeat {
            let page = try await rowSource.groups(of: app, prefix: filter.prefix, after: last)
            for row in page.rows where row.devices >= filter.minDevices && (row.isMuted || !muted) {
                try output.append([
                    .text(app.name), .text(row.group.name), .number(UInt64(row.devices)),
                    row.isMuted ? .bool(true) : nil,
                ])
            }
            last = page.next
        } while last != nil && !output.isFull
    }
}
