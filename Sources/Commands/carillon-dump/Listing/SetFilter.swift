import ArgumentParser

/// The filter of listed groups or topics.
struct SetFilter: ParsableArguments {
    @Option(help: ArgumentHelp("Only names that begin with this.", valueName: "text"))
    var prefix = ""

    @Option(help: ArgumentHelp("Only sets with at least this many devices.", valueName: "count"))
    var minDevices = 0
}
