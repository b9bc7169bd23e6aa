import ArgumentParser

/// The filter of listed groups or topics.
struct SetFilter: ParsableArguments {
    @Option(help: ArgumentHelp("Only names that begin with this.", valueName: "text"))
    var prefix = ""

    @Option(help: ArgumentHelp("The least devices of a set to show.", valueName: "count"))
    var minDevices = 0
}
