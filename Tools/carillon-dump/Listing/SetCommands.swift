import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

/// Which groups or topics are listed.
struct SetFilter: ParsableArguments {
    @Option(help: ArgumentHelp("Only names that begin so.", valueName: "text"))
    var prefix = ""

    @Option(help: ArgumentHelp("Only those with at least so many devices.", valueName: "count"))
    var minDevices = 0
}

struct GroupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups",
        abstract: "Lists groups with how many devices each has.",
        discussion: """
            Examples:
              carillon-dump groups --data /var/lib/carillon --prefix user/ --muted
            """
    )

    @OptionGroup var apps: AppOptions
    @OptionGroup var filter: SetFilter

    @Flag(help: "Only muted ones.")
    var muted = false

    @OptionGroup var rows: RowOptions
    @OptionGroup var source: SourceOptions

    func run() async throws {
        try await source.run { rowSource in
            let output = try rows.output(["app", "group", "devices", "muted"])
            for app in try await apps.apps(of: rowSource) {
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
            try output.flush()
        }
    }
}

struct TopicsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Lists topics with how many devices each has.",
        discussion: """
            Examples:
              carillon-dump topics --data /var/lib/carillon --min-devices 1000 --csv
            """
    )

    @OptionGroup var apps: AppOptions
    @OptionGroup var filter: SetFilter
    @OptionGroup var rows: RowOptions
    @OptionGroup var source: SourceOptions

    func run() async throws {
        try await source.run { rowSource in
            let output = try rows.output(["app", "topic", "devices"])
            for app in try await apps.apps(of: rowSource) {
                var last: TopicName?
                repeat {
                    let page = try await rowSource.topics(of: app, prefix: filter.prefix, after: last)
                    for row in page.rows where row.devices >= filter.minDevices {
                        try output.append([.text(app.name), .text(row.topic.name), .number(UInt64(row.devices))])
                    }
                    last = page.next
                } while last != nil && !output.isFull
            }
            try output.flush()
        }
    }
}
