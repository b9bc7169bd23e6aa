import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct TopicsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Lists topics with their numbers of devices.",
        discussion: """
            Examples:
              carillon-dump topics --data /var/lib/carillon --min-devices 1000 --csv
            """
    )

    @OptionGroup var apps: AppOptions
    @OptionGroup var filter: SetFilter
    @OptionGroup var rows: DumpRowOptions
    @OptionGroup var source: SourceOptions

    func run() async throws {
        try await source.run { rowSource in
            let output = try rows.output(["app", "topic", "devices"])
            for app in try await apps.apps(of: rowSource, server: source.server) {
                try await list(app, from: rowSource, to: output)
            }
            try output.flush()
        }
    }

    /// Writes the topics of an app that the filter admits, as long as the output takes rows.
    private func list(_ app: AppID, from rowSource: any RowSource, to output: RowOutput) async throws {
        var last: TopicName?
        repeat {
            let page = try await rowSource.topics(of: app, prefix: filter.prefix, after: last)
            for row in page.rows where row.devices >= filter.minDevices {
                try output.append([.text(app.name), .text(row.topic.name), .number(UInt64(row.devices))])
            }
            last = page.next
        } while last != nil && !output.isFull
    }
}
