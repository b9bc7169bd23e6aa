import Foundation

/// The program `carillon-dump`, run as a process.
enum DumpCommand {
    /// Runs the program to its end.
    static func run(_ arguments: String...) throws -> (status: Int32, output: String, complaint: String) {
        let process = Process()
        process.executableURL = directory.appending(path: "carillon-dump")
        process.arguments = arguments
        let (output, complaint) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = complaint
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        let complained = complaint.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: said, as: UTF8.self),
            String(decoding: complained, as: UTF8.self)
        )
    }

    /// The directory of the programs of this build, which is that of the tests.
    private static var directory: URL {
        var directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            directory = URL(fileURLWithPath: argument).deletingLastPathComponent()
        }
        return directory
    }
}
