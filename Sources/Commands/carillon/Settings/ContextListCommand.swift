import ArgumentParser
import CarillonCommandLine
import CarillonCore

struct ContextListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the contexts; * marks the one that is used.",
        discussion: """
            Examples:
              carillon context list
            """
    )

    @OptionGroup var options: ContextOptions

    @Flag(help: "Prints JSON, one object a line.")
    var json = false

    func run() throws {
        let choice = try options.choice()
        let rows = choice.file.contexts.sorted { $0.key < $1.key }.map { name, context in
            (name: name, isUsed: name == choice.name, settings: choice.file.merging(context))
        }
        if json {
            for row in rows {
                StandardOutput.printLine(
                    JSON.members([
                        "context": .text(row.name), "used": .bool(row.isUsed),
                        "server": row.settings.server.map { .text($0) },
                        "app": row.settings.app.map { .text($0.name) },
                    ]).line)
            }
            return
        }
        guard !rows.isEmpty else {
            return StandardError.printLine(
                choice.path.map { "\($0) has no contexts" } ?? "there is no configuration file")
        }
        var table = TextTable([("", .name), ("CONTEXT", .name), ("SERVER", .name), ("APP", .name)])
        for row in rows {
            table.add([row.isUsed ? "*" : "", row.name, row.settings.server ?? "-", row.settings.app?.name ?? "-"])
        }
        for line in table.lines(width: StandardOutput.columns ?? 200) { StandardOutput.printLine(line) }
    }
}
