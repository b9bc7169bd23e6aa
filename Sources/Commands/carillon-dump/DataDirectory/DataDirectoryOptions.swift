import ArgumentParser
import CarillonCommandLine
import CarillonRegistry

/// The options for a data directory that is only read.
struct DataDirectoryOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The data directory, as in data.path of carillond.", valueName: "directory"))
    var data: String

    @Option(
        help: ArgumentHelp(
            "The directory for a copy if a server is running. Default: beside the data directory.",
            valueName: "directory"))
    var work: String?

    /// Opens the snapshot of this moment.
    func openSnapshot() throws(CommandError) -> LMDBRegistry {
        try DataDirectory(path: data).openSnapshot(copyIn: work)
    }
}
